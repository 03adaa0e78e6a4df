package tech.sluice.core

import java.util.concurrent.CopyOnWriteArrayList
import tech.sluice.CallOptions
import tech.sluice.Consent
import tech.sluice.FlushResult
import tech.sluice.Message
import tech.sluice.Plugin
import tech.sluice.SluiceError

private const val RETRY_READING_MS = 10_000L

/** Event of a push token (docs/push.md#events). */

/**
 * The state behind a client. Calls check a message and make its text on their own thread, in memory only; the worker
 * writes and sends it.
 */
internal class ClientState(options: Options, given: Ports) {
    private val settings = readSettings(options)
    private val ports: Ports = given.withWorker(GuardedWorker(given.worker) { reporter.storageFailed(it) })
    private val worker: Worker = ports.worker
    private val plugins = CopyOnWriteArrayList(options.plugins)

    /**
     * Guards all state below. It is not held while files are read or written, or while code of the app (plugins and
     * values) runs.
     */
    private val lock = Any()
    private var consent = options.consent
    private var isActive = settings.blank == null
    private var isClosing = false

    /** Calls that wait until the identity has been read; null while none need to. The worker makes them. */
    private var early: ArrayDeque<() -> Unit>? = null

    /** Grows with each change of consent, so that a reading of the store that began before it ends. */
    private var generation = 0

    /** Grows when everything is erased, so that a message made before is dropped. */
    private var era = 0
    private var stream: String? = null
    private var seq = 0
    private var hasBadClock = false

    private val identity: Identity = Identity(ports.values, ports.random, worker)
    private val reporter: Reporter =
        Reporter(options.errorHandler, worker, identity::giveUp, ports.log.takeIf { options.isDebugging })
    private val outbox: Outbox = Outbox(settings, ports, reporter)
    private val batcher = Batcher(settings, ports, outbox, reporter)
    private val texts =
        MessageText(ports.plain) { path, why -> reporter.debug { "$path is left out: $why" } }

    val isDisabled: Boolean = settings.blank != null
    val isClosed: Boolean get() = synchronized(lock) { isClosing }
    val apiHost: String = settings.apiHost
    val isSending: Boolean get() = synchronized(lock) { isGranted }

    init {
        outbox.sealRipe = batcher::sealRipe
        settings.blank?.let { reporter.report(SluiceError.Code.DISABLED, "$it is blank") }
        synchronized(lock) { begin() }
    }

    val isTaking: Boolean get() = synchronized(lock) { isActive && !isClosing && consent != Consent.DENIED }
    private val isGranted: Boolean get() = isActive && consent == Consent.GRANTED

    val anonymousId: String? get() = readId(identity::anonymousId)
    val userId: String? get() = readId(identity::userId)
    val deviceId: String? get() = readId(identity::device)

    /** An id; null if consent is denied, after closing, and until the store has been read. */
    private fun readId(id: () -> String?): String? = synchronized(lock) { if (isTaking && early == null) id() else null }

    fun track(event: String?, properties: Map<String, Any?>?, options: CallOptions?): Boolean =
        call { take(makeMessage(Message.Kind.TRACK, options).copy(event = event, properties = properties)) }

    fun identify(userId: String?, traits: Map<String, Any?>?, options: CallOptions?): Boolean =
        call {
            if (userId != null && isPersonId(userId)) {
                soon { identity.become(userId) }
                take(makeMessage(Message.Kind.IDENTIFY, options).copy(traits = traits))
            } else {
                soon { identity.reset() }
                throw RuleException("userId breaks its rule")
            }
        }

    fun reset() {
        call {
            soon { identity.reset() }
            true
        }
    }

    fun register(token: String?): Boolean =
        call {
            if (token.isNullOrBlank()) throw RuleException("a push token is blank")
            val fields = makeMessage(Message.Kind.TRACK, null).copy(event = REGISTRATION_EVENT)
            takeOrWait {
                val properties = mapOf("key" to token, "device_id" to identity.device()) + ports.registration
                fields.copy(properties = properties)
            }
        }

    fun use(plugin: Plugin) {
        plugins += plugin
    }

    /** Makes a call if the client takes calls. Returns false if it is not taken. */
    private fun call(work: () -> Boolean): Boolean = isTaking && checked(work)

    /** Runs work of a call. Reports what it throws; the integrator's values and plugins can throw anything. */
    private fun checked(work: () -> Boolean): Boolean =
        try {
            work()
        } catch (error: Throwable) {
            reporter.report(SluiceError.Code.INVALID, attempt { error.message } ?: error.javaClass.name, cause = error)
            false
        }

    /** Runs work in memory now, or when the identity has been read. */
    private fun soon(work: () -> Unit) {
        synchronized(lock) { early?.add(work) ?: work() }
    }

    private fun take(fields: Message): Boolean {
        if (synchronized(lock) { early } == null) return make(fields, isOnWorker = false)
        // The caller may change its values after the call, so they are copied now.
        val copy = texts.frozen(fields)
        if (plugins.isEmpty()) texts.check(copy)
        return takeOrWait { copy }
    }

    /** Makes a message now, or when the identity has been read. Returns false if it was not taken. */
    private fun takeOrWait(fields: () -> Message): Boolean {
        val call: () -> Unit = { checked { make(fields(), isOnWorker = true) } }
        val isWaiting = synchronized(lock) { early?.let { it.size < settings.maxMessages && it.add(call) } }
        if (isWaiting == false) reporter.report(SluiceError.Code.OVERFLOW, "too many calls wait for the store", 1)
        return isWaiting ?: make(fields(), isOnWorker = false)
    }

    /** Makes the text of a message, which the worker writes. */
    private fun make(fields: Message, isOnWorker: Boolean): Boolean {
        val before = synchronized(lock) { era }
        val person = identity.person()
        val draftedMessage = fields.copy(
            userId = person.userId,
            anonymousId = person.anonymousId,
            context = ports.context() + fields.context,
        )
        val message = plugins.fold(draftedMessage as Message?) { current, plugin -> current?.let(plugin::process) } ?: return false
        val draft = texts.makeDraft(message)
        val write =
            synchronized(lock) {
                if (era != before || !isActive) return false
                val text = draft.textWith(SdkStamp(ports.sdk, identity.device(), streamId(), seq, identity.lost()))
                seq++
                val write = { added(BatchKind.of(message), text) }
                // The worker gets messages in the order of their numbers.
                if (!isOnWorker) worker.execute(write)
                write
            }
        if (isOnWorker) write()
        return true
    }

    private fun added(kind: BatchKind, text: String) {
        attempt { identity.refresh() }
        try {
            batcher.add(kind, text)
        } catch (error: Throwable) {
            reporter.report(SluiceError.Code.STORAGE, "a message could not be kept", 1, cause = error)
        }
    }

    private fun streamId(): String = stream ?: ports.random.uuid(IdPurpose.STREAM).also { stream = it }

    private fun makeMessage(kind: Message.Kind, options: CallOptions?): Message {
        val timestamp = options?.timestamp?.let(::givenTimestamp) ?: now()
        return Message(kind, null, null, null, null, null, options?.context.orEmpty(), timestamp)
    }

    /** Null if the clock is outside the range that the service accepts. */
    private fun now(): String? {
        val time = isoTimeOf(worker.now())
        if (time == null && !hasBadClock) {
            hasBadClock = true
            reporter.report(SluiceError.Code.INVALID, "the clock is wrong")
        }
        return time
    }

    fun flush(done: (FlushResult) -> Unit) {
        worker.execute {
            val before = outbox.sent
            if (!synchronized(lock) { isActive }) return@execute finish(before, done)
            reporter.storing { batcher.sealAll() }
            outbox.drain { finish(before, done) }
        }
    }

    private fun finish(before: Int, done: (FlushResult) -> Unit) {
        val waiting = synchronized(lock) { early?.size ?: 0 }
        attempt { done(FlushResult(outbox.sent - before, outbox.left + waiting)) }
    }

    /** Takes nothing more, sends what can be sent, then releases the platform. */
    fun close(done: (FlushResult) -> Unit) {
        synchronized(lock) { isClosing = true }
        flush { result ->
            end()
            done(result)
        }
    }

    /** Takes and sends nothing more: another client of the source sends what is in files. Then releases the platform. */
    fun leave(done: () -> Unit) {
        synchronized(lock) { isClosing = true }
        worker.execute {
            val unstored = outbox.erase()
            if (unstored > 0) reporter.report(SluiceError.Code.STORAGE, "in no file that another client could send", unstored)
            end()
            done()
        }
    }

    private fun end() {
        val unread = synchronized(lock) {
            isActive = false
            early?.size ?: 0
        }
        if (unread > 0) reporter.report(SluiceError.Code.STORAGE, "the client was closed before the store could be read", unread)
        outbox.stop()
        batcher.erase()
        attempt { ports.closed() }
        // After the writes that were asked for before.
        worker.execute {
            attempt { ports.queue?.close() }
            attempt { ports.values?.close() }
        }
    }

    fun agree(next: Consent) {
        synchronized(lock) {
            if (!isActive || next == consent) return
            consent = next
            generation++
            identity.pause()
            worker.execute {
                batcher.pause()
                outbox.stop()
                attempt { ports.agreed(next) }
            }
            if (next == Consent.DENIED) erase() else begin()
        }
    }

    fun createdAgain(given: Consent, ignored: List<String>) {
        val isStricter = synchronized(lock) { given > consent }
        if (isStricter) agree(given)
        if (ignored.isNotEmpty()) {
            reporter.report(SluiceError.Code.INVALID, "a second create for the same source changes nothing of ${ignored.joinToString()}")
        }
    }

    private fun erase() {
        era++
        early = null
        identity.erase()
        // A new stream, so that it cannot be linked to the old one.
        stream = null
        seq = 0
        worker.execute {
            batcher.erase()
            val unstored = outbox.erase()
            val stored = reporter.storing { ports.queue?.clear(settings.sourceIdentifier) } ?: 0
            reporter.erased(stored + unstored)
        }
    }

    private fun begin() {
        if (!isGranted) return
        early = early ?: ArrayDeque()
        val mine = generation
        worker.execute { load(mine) }
    }

    /** Reads the identity, then makes the calls that waited for it, then sends what the store has. */
    private fun load(mine: Int) {
        if (!synchronized(lock) { isGranted && early != null && mine == generation }) return
        try {
            identity.persist()
        } catch (error: Throwable) {
            // A locked device: unreadable is not empty, so no new identity is made.
            reporter.storageFailed(error)
            worker.later(RETRY_READING_MS) { load(mine) }
            return
        }
        reporter.storing { batcher.persist() }
        // The calls that waited are written before the worker does anything that was asked for after them.
        while (true) attempt(nextEarly(mine) ?: break)
        if (synchronized(lock) { mine == generation }) outbox.start()
    }

    /** The next call that waited. Null if there is none: from then on calls are made at once. */
    private fun nextEarly(mine: Int): (() -> Unit)? =
        synchronized(lock) {
            if (mine != generation) return null
            early?.removeFirstOrNull().also { if (it == null) early = null }
        }

    fun on(event: LifecycleEvent) {
        worker.execute {
            val mine = synchronized(lock) { generation.takeIf { isGranted } }
            when {
                event == LifecycleEvent.HIDE -> batcher.sealAll()
                mine == null -> Unit
                synchronized(lock) { early != null } -> load(mine)
                event == LifecycleEvent.ONLINE -> outbox.online()
                else -> {
                    identity.refresh()
                    outbox.start()
                }
            }
        }
    }
}
