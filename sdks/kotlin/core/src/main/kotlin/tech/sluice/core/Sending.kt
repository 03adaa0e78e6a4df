package tech.sluice.core

import java.net.SocketTimeoutException
import java.util.EnumMap
import kotlin.math.ceil
import tech.sluice.SluiceError

private const val TIMEOUT_MS = 30_000L

/** Tries in a row without an answer of the service that are reported as an outage. */
private const val SILENCES_OF_OUTAGE = 3

/** Sends batches to the service and acts on the answers. Worker only. */
internal class Sending(
    private val settings: Settings,
    private val ports: Ports,
    private val reporter: Reporter,
    private val pending: Outbox,
) {
    private val worker = ports.worker
    private val queue = ports.queue

    /** Messages that the service has confirmed since the client started. */
    var sent = 0
        private set

    /** Consecutive tries without a conclusive answer, and consecutive answers that made the client rest. */
    private var failures = 0
    private var rests = 0
    private var pausedUntil = 0L

    /** Ends of the waits for the daily quotas of the source, by the monotonic clock. */
    private val quotas = EnumMap<Quota, Long>(Quota::class.java)

    /** Consecutive tries without an answer of the service. */
    private var silences = 0
    private val service = ServiceClock(worker)

    /** True if the pause is our own guess, which a hint can shorten. */
    private var isGuess = false

    /** Milliseconds until the next try. */
    fun wait(): Long = maxOf(0, pausedUntil - worker.monotonic())

    /** True if no try has been postponed since a batch was last stored. */
    val hasRecovered: Boolean get() = failures == 0

    /** Milliseconds until the next try with a batch of this kind. */
    fun waitTime(kind: BatchKind): Long = maxOf(wait(), (quotas[kind.quota] ?: 0) - worker.monotonic())

    /** Earliest time of the next try with a batch, by the monotonic clock. */
    fun dueTime(entry: Entry): Long = maxOf(entry.due, quotas[entry.batch.kind.quota] ?: 0)

    /** Pauses as a stored try says, which may have had a Retry-After. A wait without a try is one for a quota. */
    fun adoptPause(entry: Entry) {
        if (entry.batch.tries == 0) {
            quotas[entry.batch.kind.quota] = dueTime(entry)
            return
        }
        if (entry.due > maxOf(pausedUntil, worker.monotonic())) isGuess = false
        pauseUntil(entry.due)
    }

    fun pauseUntil(time: Long) {
        pausedUntil = maxOf(pausedUntil, time)
    }

    /** False if consent was denied after the batch was queued; nothing more of it is then sent or written. */
    private fun isKnown(entry: Entry): Boolean = pending.entries[entry.batch.key] === entry

    /** Sends a batch and handles the answer, then calls [done]. */
    fun send(entry: Entry, done: () -> Unit) {
        val batch = entry.batch
        entry.isInFlight = true
        val end = {
            entry.isInFlight = false
            done()
        }
        val texts = prepared(entry) ?: return end()
        val request = attempt { batchRequest(batch, settings.apiKey, texts, worker.now()) }
        if (request == null) {
            // Too little memory for the body.
            settled(entry, texts, null, null)
            return end()
        }
        exchange(request) { answer, failure ->
            try {
                if (isKnown(entry)) settled(entry, texts, answer, failure)
                expire(entry)
            } finally {
                end()
            }
        }
    }

    private fun prepared(entry: Entry): List<String>? =
        try {
            prepare(entry)
        } catch (error: Throwable) {
            // The batch is there and cannot be read at present. It must not hold up the others.
            reporter.storageFailed(error)
            delay(entry, waitAfter(entry.batch.tries + 1, 0.0, ports.random.fraction()))
            null
        }

    private fun settled(entry: Entry, texts: List<String>, answer: HttpAnswer?, failure: Throwable?) {
        try {
            settle(entry, texts, answer, failure)
        } catch (error: Throwable) {
            reporter.storageFailed(error)
            postpone(entry, 0.0)
        }
    }

    /** Records a try in the store before it is made: a crash leaves it in doubt. Null if the batch is gone. */
    private fun prepare(entry: Entry): List<String>? {
        val batch = entry.batch
        val texts = entry.texts ?: queue?.read(batch.key)
        batch.tries++
        batch.lastTry = worker.now()
        // Reset the earlier try's value, because after a crash it would be compared with the time of this try.
        batch.nextTry = 0
        val triedAt = entry.triedAt ?: worker.monotonic().also { entry.triedAt = it }
        if (batch.firstTry == 0L) batch.firstTry = service.at(triedAt)
        val isThere = save(entry, 1)
        if (!texts.isNullOrEmpty() && isThere && isKnown(entry)) return texts
        pending.forget(entry)
        return null
    }

    /** Saves the tries. Returns false if this client must no longer send the batch. */
    private fun save(entry: Entry, doubts: Int): Boolean {
        val batch = entry.batch
        batch.doubts += doubts
        if (!entry.isStored || queue == null) return true
        return try {
            queue.update(batch, doubts)?.also { batch.doubts = it } != null
        } catch (error: Throwable) {
            reporter.storageFailed(error)
            isThere(batch.key)
        }
    }

    /** True unless the store certainly lacks the batch: unreadable is not empty. */
    private fun isThere(key: String): Boolean =
        try {
            queue?.read(key) != null
        } catch (_: Throwable) {
            true
        }

    /** Makes a request. Calls [done] on the worker once, without an answer if there is none in time. */
    private fun exchange(request: HttpRequest, done: (HttpAnswer?, Throwable?) -> Unit) {
        var isOver = false
        var timer: Cancellation? = null
        val end = { answer: HttpAnswer?, failure: Throwable? ->
            if (!isOver) {
                isOver = true
                timer?.cancel()
                done(answer, failure)
            }
        }
        val call =
            try {
                ports.transport.send(request) { answer, failure -> worker.execute { end(answer, failure) } }
            } catch (error: Throwable) {
                // No thread for the request, for example.
                reporter.debug { "a request cannot be made: $error" }
                return worker.execute { end(null, error) }
            }
        timer =
            worker.later(TIMEOUT_MS) {
                attempt { call.cancel() }
                end(null, SocketTimeoutException("nothing in ${TIMEOUT_MS / 1_000} s"))
            }
    }

    private fun settle(entry: Entry, texts: List<String>, answer: HttpAnswer?, failure: Throwable?) {
        val batch = entry.batch
        val verdict = readVerdict(answer)
        val requestId = answer?.header("x-request-id")
        fun report(code: SluiceError.Code, list: List<Refusal>, count: Int?, outcome: String = "") {
            if (list.isNotEmpty()) reporter.report(code, outcome + list.joinToString("; "), count, requestId)
        }
        reporter.debug { "batch ${batch.key}: ${answer?.status ?: "no answer, $failure"}" }
        if (verdict.isOfService) {
            silences = 0
            service.hear(answer)
            if (batch.firstTry == 0L) batch.firstTry = service.at(entry.triedAt ?: worker.monotonic())
        } else if (isHere(entry)) {
            silent(answer, failure)
        }
        val retryAfter = retryAfterOf(answer, worker.now(), verdict.isOfService)
        if (verdict.meaning == Meaning.UNKNOWN) return postpone(entry, retryAfter)
        if (verdict.meaning == Meaning.STORED) {
            val lost = minOf(messagesNamed(verdict.reasons), batch.count)
            if (isHere(entry)) {
                failures = 0
                rests = 0
            }
            sent += batch.count - lost
            pending.remove(entry)
            report(SluiceError.Code.REFUSED, verdict.reasons, lost)
            report(SluiceError.Code.REFUSED, verdict.dropped, 0, "stored without ")
            return
        }
        save(entry, -1)
        when {
            verdict.isForQuota && retryAfter > 0 -> awaitQuota(entry, retryAfter)
            verdict.meaning == Meaning.LATER -> postpone(entry, retryAfter)
            verdict.meaning == Meaning.UNAUTHORIZED && !isHere(entry) ->
                delay(entry, restAfter(batch.tries, ports.random.fraction()))
            verdict.meaning == Meaning.UNAUTHORIZED -> {
                isGuess = false
                pauseUntil(worker.monotonic() + rounded(restAfter(++rests, ports.random.fraction())))
                if (rests == 1) report(SluiceError.Code.UNAUTHORIZED, verdict.reasons, null)
            }
            verdict.meaning == Meaning.TOO_LARGE && batch.doubts > 0 -> setAside(entry)
            verdict.meaning == Meaning.TOO_LARGE && texts.size > 1 -> split(entry, texts)
            else -> {
                pending.remove(entry)
                report(SluiceError.Code.REFUSED, verdict.reasons, batch.count)
            }
        }
    }

    /** Reports an outage once, at the try that makes it one. */
    private fun silent(answer: HttpAnswer?, failure: Throwable?) {
        if (++silences != SILENCES_OF_OUTAGE) return
        val finding = if (answer == null) "no answer of the service" else "an answer ${answer.status} that is not the service's"
        val why = failure?.let { ": ${describeFailure(it)}" }.orEmpty()
        reporter.report(SluiceError.Code.UNREACHABLE, "${settings.host}: $finding$why", cause = failure)
        reporter.debug {
            "nothing is lost, tries continue. Check apiHost, its path and eventsPath, the network, a captive portal or VPN, and for http:// " +
                "android:usesCleartextTraffic"
        }
    }

    /** Gives up a batch whose try failed past `maxAge`. The device's clock proves nothing about its age. */
    private fun expire(entry: Entry) {
        if (isKnown(entry) && service.measureAge(entry) > settings.maxAge) {
            pending.giveUp(entry, SluiceError.Code.EXPIRED, "too old to be sent")
        }
    }

    /** False for a batch that an earlier configuration made for another host, where a try is in doubt. */
    private fun isHere(entry: Entry): Boolean = entry.batch.host == settings.host

    private fun postpone(entry: Entry, retryAfter: Double) {
        // Another host that is down must not delay what goes to the present one.
        if (!isHere(entry)) return delay(entry, waitAfter(entry.batch.tries, retryAfter, ports.random.fraction()))
        isGuess = retryAfter == 0.0
        delay(entry, waitAfter(maxOf(++failures, entry.batch.tries), retryAfter, ports.random.fraction()))
        pauseUntil(entry.due)
    }

    /**
     * Lets what the same daily quota counts wait, and nothing else: the service works, and its refusal is not a failed try.
     */
    private fun awaitQuota(entry: Entry, retryAfter: Double) {
        entry.batch.tries = 0
        delay(entry, waitAfter(1, retryAfter, ports.random.fraction()))
        if (isHere(entry)) adoptPause(entry)
    }

    private fun delay(entry: Entry, wait: Double) {
        val ms = rounded(wait)
        val batch = entry.batch
        entry.due = worker.monotonic() + ms
        // Take both times from the same clock setting: the user may have set the clock since the try began.
        batch.lastTry = worker.now()
        batch.nextTry = batch.lastTry + ms
        save(entry, 0)
    }

    /** Keeps a batch unchanged, because the service may have stored its messages with this key and these positions. */
    private fun setAside(entry: Entry) {
        delay(entry, restAfter(++entry.batch.tooLarge, ports.random.fraction()))
    }

    private fun split(entry: Entry, texts: List<String>) {
        val half = (texts.size + 1) / 2
        val parts =
            listOf(0, half).map { from ->
                val part = texts.subList(from, minOf(from + half, texts.size)).toList()
                BatchContent(entry.batch.sealedPart(deriveKey(entry.batch.key, from), part), part)
            }
        if (entry.isStored && queue?.replace(entry.batch.key, parts) != true) return setAside(entry)
        pending.forget(entry)
        for (part in parts) {
            val next = Entry(part.batch, part.texts.toMutableList())
            next.isReady = true
            next.isStored = entry.isStored
            pending.enter(next)
        }
    }

    /** Shortens a guessed pause to the wait after one failure, because the network may be back. Retry-After stays. */
    fun hurry() {
        if (!isGuess || wait() == 0L) return
        pausedUntil = minOf(pausedUntil, worker.monotonic() + rounded(waitAfter(1, 0.0, ports.random.fraction())))
        for (entry in pending.entries.values) {
            if (entry.batch.tooLarge == 0) entry.due = minOf(entry.due, pausedUntil)
        }
    }
}

private fun rounded(ms: Double): Long = ceil(ms).toLong()

/** Text of an exception: its class, unless it is the transport's own, and its message. */
private fun describeFailure(failure: Throwable): String {
    val name = failure.javaClass.simpleName
    val message = failure.message.orEmpty()
    return if (failure is UnansweredException) message else listOf(name, message).filter { it.isNotEmpty() }.joinToString(" ")
}
