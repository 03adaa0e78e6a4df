package tech.sluice.core

import tech.sluice.SluiceError

/** Wait after a step that failed by an error of the platform. */
private const val AFTER_FAILURE_MS = 10_000L

private val compareByAge = compareBy<Entry> { it.batch.created }

/** Number of batches that are tried in turn during an outage, while the others stay open. */
private const val MAX_PROBES = 3

/** Due batches in order. Those tried often come last, so that a batch that always fails does not block the others. */
private val byRank = compareBy<Entry>({ it.batch.tries shr 2 }, { it.batch.created }, { it.batch.kind })

/**
 * All pending batches, of this client and of earlier ones. Sends one at a time. A batch leaves the outbox by an answer,
 * by its age, or because the queue is full, consent is denied or the store lacks it. Worker only.
 */
internal class Outbox(
    private val settings: Settings,
    private val ports: Ports,
    private val reporter: Reporter,
) {
    /** Batches by their keys, in the order in which they came. */
    val entries = LinkedHashMap<String, Entry>()
    private val worker = ports.worker
    private val queue = ports.queue
    private val sending = Sending(settings, ports, reporter, this)

    /** Keys of batches of other sources, which wait for a client of their source. */
    private val foreign = HashSet<String>()
    private var bytes = 0L
    private var messages = 0

    /** True from [start] to [stop], that is, while consent is granted. */
    private var isOpen = false

    private var isDraining = false
    private val idleListeners = ArrayList<() -> Unit>()
    private var timer: Cancellation? = null

    val left: Int get() = messages
    val sent: Int get() = sending.sent

    /** Seals batches that kept collecting while nothing could be sent. */
    var sealRipe: () -> Unit = {}

    /** True while the client waits for its next try with such a batch: one that is sealed now would only wait. */
    fun holdsUp(kind: BatchKind): Boolean = sending.waitTime(kind) > 0 && idle().isNotEmpty()

    fun enter(entry: Entry) {
        entries[entry.batch.key] = entry
        messages += entry.batch.count
        bytes += entry.batch.bytes
        // A new batch is about to get its first message; one of an earlier owner gets none.
        val max = settings.maxMessages - if (entry.batch.count > 0) 0 else 1
        while (messages > max || bytes > settings.maxBytes) {
            val oldest = idle().minWithOrNull(compareByAge) ?: break
            giveUp(oldest, SluiceError.Code.OVERFLOW, "the queue is full")
        }
    }

    /** Adds to the size of an entered batch. */
    fun grow(batch: Batch, more: Int, count: Int) {
        batch.bytes += more
        bytes += more
        messages += count
    }

    /** Removes the batch from memory; the store keeps it. */
    fun forget(entry: Entry) {
        if (entries[entry.batch.key] !== entry) return
        entries.remove(entry.batch.key)
        messages -= entry.batch.count
        bytes -= entry.batch.bytes
    }

    fun remove(entry: Entry) {
        forget(entry)
        if (entry.isStored) reporter.storing { queue?.remove(entry.batch) }
    }

    /** Removes a batch that is lost, and reports it. */
    fun giveUp(entry: Entry, code: SluiceError.Code, why: String) {
        remove(entry)
        reporter.report(code, why, entry.batch.count)
    }

    /** Accepts a batch that gets no more messages. */
    fun ready(entry: Entry) {
        if (entries[entry.batch.key] !== entry) return
        entry.isReady = true
        drain()
    }

    /** Lists the store, then sends. */
    fun start() {
        reporter.storing { load() }
        isOpen = true
        drain()
    }

    fun stop() {
        isOpen = false
        timer?.cancel()
    }

    /** Forgets all batches. Returns the number of messages that are only in memory. */
    fun erase(): Int {
        stop()
        val unstored = entries.values.filter { !it.isStored }.sumOf { it.batch.count }
        entries.clear()
        messages = 0
        bytes = 0
        return unstored
    }

    /** Sends the due batches one at a time, then calls [done]. */
    fun drain(done: () -> Unit = {}) {
        idleListeners += done
        if (isDraining) return
        isDraining = true
        // Let the caller finish its work first.
        worker.execute { step() }
    }

    private fun step() {
        val isSent =
            try {
                sendNext()
            } catch (error: Throwable) {
                reporter.storageFailed(error)
                sending.pauseUntil(worker.monotonic() + AFTER_FAILURE_MS)
                false
            }
        if (isSent) return
        isDraining = false
        attempt { schedule() }
        val listeners = idleListeners.toList()
        idleListeners.clear()
        listeners.forEach { attempt(it) }
    }

    /** Sends the next due batch, and continues afterwards. Returns false if none can be sent now. */
    private fun sendNext(): Boolean {
        timer?.cancel()
        if (!isOpen || sending.wait() > 0) return false
        if (sending.hasRecovered || isProbeMissing(waiting())) sealRipe()
        val next = waiting().firstOrNull()
        next?.let { sending.send(it) { worker.execute { step() } } }
        return next != null
    }

    /** True if a new batch should be tried: the few that are due keep failing, perhaps by their own fault. */
    private fun isProbeMissing(due: List<Entry>): Boolean = due.size < MAX_PROBES && due.all { it.batch.tries shr 2 > 0 }

    private fun schedule() {
        if (!isOpen) return
        // A batch in flight triggers the next drain itself.
        val due = idle().minOfOrNull { sending.dueTime(it) } ?: return
        timer = worker.later(maxOf(sending.wait(), due - worker.monotonic(), 0)) { drain() }
    }

    /** Sealed batches without a request under way. */
    private fun idle(): List<Entry> = entries.values.filter { it.isReady && !it.isInFlight }

    private fun waiting(): List<Entry> {
        val now = worker.monotonic()
        // A host that is silent keeps a request for 30 s: the present one comes first.
        return idle().filter { sending.dueTime(it) <= now }.sortedWith(compareBy<Entry> { it.batch.host != settings.host }.then(byRank))
    }

    /** Adopts the batches that earlier owners left in the store. */
    private fun load() {
        if (queue == null) return
        val keys = queue.keys()
        for (entry in entries.values.toList()) {
            if (entry.texts == null && !entry.isInFlight && entry.batch.key !in keys) forget(entry)
        }
        // Only new batches are read: there can be thousands of others.
        foreign.retainAll(keys)
        if (keys.all { it in entries || it in foreign }) return
        val batches =
            queue.list(entries.keys + foreign) { count, cause -> reporter.report(SluiceError.Code.STORAGE, cause, count) }
        for (batch in batches.sortedBy { it.created }) {
            if (batch.key in entries) continue
            if (batch.sourceIdentifier == settings.sourceIdentifier) take(batch, queue) else foreign += batch.key
        }
    }

    /** Takes over a batch, which gets no more messages. */
    private fun take(batch: Batch, queue: BatchStore) {
        if (!batch.isSealed) batch.count = queue.seal(batch) ?: 0
        val entry = Entry(movedToHost(batch, queue).copy(isSealed = true), null)
        if (batch.count == 0) remove(entry) else adopt(entry)
    }

    /**
     * Moves a batch to the present host, as a batch of its own: nothing of it was sent to the host that it was made for.
     * Returns the batch as it is if a try is in doubt, so that its repeat meets the service that may have stored it.
     */
    private fun movedToHost(batch: Batch, queue: BatchStore): Batch {
        if (batch.host == settings.host || batch.doubts > 0) return batch
        val texts = queue.read(batch.key)
        if (texts.isNullOrEmpty()) return batch
        val moved = batch.movedTo(settings.host, texts)
        return if (queue.replace(batch.key, listOf(BatchContent(moved, texts)))) moved else batch
    }

    private fun adopt(entry: Entry) {
        val batch = entry.batch
        // Limit the wait to its original length in case the clock was set back.
        val wait = minOf(batch.nextTry - worker.now(), batch.nextTry - batch.lastTry)
        entry.due = worker.monotonic() + maxOf(0, wait)
        entry.isReady = true
        enter(entry)
        if (batch.host == settings.host && batch.tooLarge == 0) sending.adoptPause(entry)
    }

    /** Shortens waits, because the network may be back. */
    fun online() {
        sending.hurry()
        drain()
    }
}
