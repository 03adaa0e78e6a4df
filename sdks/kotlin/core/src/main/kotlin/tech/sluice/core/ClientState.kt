package tech.sluice.core

import java.io.IOException
import java.util.concurrent.CopyOnWriteArrayList
import tech.sluice.CallOptions
import tech.sluice.Consent
import tech.sluice.FlushResult
import tech.sluice.Message
import tech.sluice.Plugin
import tech.sluice.SluiceError

private const val RETRY_READING_MS = 10_000L

/** Event of a push token (docs/push.md#events). */
private const val REGISTERED = "bb_notification_registered"

/**
 * The state behind a client. Calls check a message and make its text on their own thread, in memory only; the worker
 * writes and sends it.
 */
internal class ClientState(options: Options, private val ports: Ports) {
    private val settings = settingsOf(options)
    private val worker = ports.worker
    private val plugins = CopyOnWriteArrayList(options.plugins)

    /** Guards the state of calls, which is all below. The worker never holds it while it reads or writes files. */
    private val lock = Any()
    private var consent = options.consent
    private var isActive = settings.blank == null

    /** Calls that wait until the identity has been read; null while none need to. */
    private var early: ArrayList<() -> Unit>? = null

    /** Messages of calls that waited, while the worker makes them; null otherwise. */
    private var made: ArrayList<() -> Unit>? = null

    /** Grows with each change of consent, so that reading the store for an earlier one ends. */
    private var generation = 0
    private var stream: String? = null
    private var seq = 0
    private var hasBadClock = false

    private val identity: Identity = Identity(ports.values, ports.random, worker) { outbox.cleared() }
    private val reporter =
        Reporter(options.errorHandler, worker, identity::giveUp, ports.log.takeIf { options.isDebugging })
    private val outbox: Outbox = Outbox(settings, ports, reporter, identity::isCleared)
    private val batcher = Batcher(settings, ports, outbox, reporter)
    private val texts =
        MessageText(ports.plain) { path, why -> reporter.debug { "$path is left out: $why" } }

    val isDisabled: Boolean = settings.blank != null
    val isClosed: Boolean get() = synchronized(lock) { !isActive && !isDisabled }
    val host: String = settings.host
    val isSending: Boolean get() = synchronized(lock) { isGranted }

    init {
        settings.blank?.let { reporter.report(SluiceError.Code.DISABLED, "$it is blank") }
        synchronized(lock) { begin() }
    }

    val isTaking: Boolean get() = synchronized(lock) { isActive && consent != Consent.DENIED }
    private val isGranted: Boolean get() = isActive && consent == Consent.GRANTED

    val anonymousId: String? get() = known(identity::anonymousId)
    val userId: String? get() = known(identity::userId)
    val deviceId: String? get() = known(identity::device)

    /** The id, if there are ids. */
    private fun known(id: () -> String?): String? = synchronized(lock) { if (isTaking && early == null) id() else null }

    fun track(event: String?, properties: Map<String, Any?>?, options: CallOptions?): Boolean =
        call { take(fieldsOf(Message.Kind.TRACK, options).copy(event = event, properties = properties)) }

    fun identify(userId: String?, traits: Map<String, Any?>?, options: CallOptions?): Boolean =
        call {
            if (userId != null && isPersonId(userId)) {
                soon { identity.become(userId) }
                take(fieldsOf(Message.Kind.IDENTIFY, options).copy(traits = traits))
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
            val fields = fieldsOf(Message.Kind.TRACK, null).copy(event = REGISTERED)
            val register = {
                val properties = mapOf("key" to token, "device_id" to identity.device()) + ports.registration
                make(fields.copy(properties = properties))
            }
            if (early == null) register() else true.also { soon { register() } }
        }

    fun use(plugin: Plugin) {
        plugins += plugin
    }

    /** Makes a call, unless the client takes none. Returns false if nothing is taken. */
    private fun call(work: () -> Boolean): Boolean =
        synchronized(lock) {
            isTaking && checked(work)
        }

    /** Runs work of a call. Reports what it throws; the integrator's values and plugins can throw anything. */
    private fun checked(work: () -> Boolean): Boolean =
        try {
            work()
        } catch (error: Exception) {
            reporter.report(SluiceError.Code.INVALID, error.message ?: error.javaClass.name, cause = error)
            false
        }

    /** Runs work now, or when the identity has been read. */
    private fun soon(work: () -> Unit) {
        early?.add(work) ?: work()
    }

    private fun take(fields: Message): Boolean {
        val waiting = early ?: return make(fields)
        if (waiting.size >= settings.maxMessages) {
            reporter.report(SluiceError.Code.OVERFLOW, "too many calls wait for the store", 1)
            return false
        }
        // The caller may change its values after the call, so they are copied now.
        val copy = texts.frozen(fields)
        if (plugins.isEmpty()) texts.check(copy)
        waiting += { checked { make(copy) } }
        return true
    }

    /** Makes the text of a message and hands it to the worker. */
    private fun make(fields: Message): Boolean {
        val given = fields.copy(
            userId = identity.userId(),
            anonymousId = identity.anonymousId(),
            context = ports.context() + fields.context,
        )
        val message = plugins.fold(given as Message?) { seen, plugin -> seen?.let(plugin::process) } ?: return false
        val stamp = SdkStamp(ports.sdk, identity.device(), streamId(), seq, identity.lost())
        val text = texts.of(message, stamp)
        seq++
        val write = {
            identity.refresh()
            batcher.add(BatchKind.of(message.kind), text)
        }
        made?.add(write) ?: worker.execute(write)
        return true
    }

    private fun streamId(): String = stream ?: ports.random.uuid(IdPurpose.STREAM).also { stream = it }

    private fun fieldsOf(kind: Message.Kind, options: CallOptions?): Message {
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
            outbox.hold {
                batcher.sealAll()
                outbox.drainAll { finish(before, done) }
            }
        }
    }

    private fun finish(before: Int, done: (FlushResult) -> Unit) {
        val waiting = synchronized(lock) { early?.size ?: 0 }
        attempt { done(FlushResult(outbox.sent - before, outbox.left + waiting)) }
    }

    fun close(done: (FlushResult) -> Unit) {
        flush { result ->
            synchronized(lock) { isActive = false }
            outbox.stop()
            done(result)
        }
    }

    fun agree(next: Consent) {
        synchronized(lock) {
            if (!isActive || next == consent) return
            consent = next
            generation++
            early = null
            worker.execute {
                batcher.pause()
                outbox.stop()
                attempt { ports.agreed(next) }
            }
            if (next == Consent.DENIED) erase() else begin()
        }
    }

    private fun erase() {
        identity.erase()
        // A new stream, so that it cannot be linked to the old one.
        stream = null
        seq = 0
        worker.execute {
            batcher.erase()
            outbox.erase()
            reporter.storing { ports.queue?.clear() }
        }
    }

    private fun begin() {
        if (!isGranted) return
        early = ArrayList()
        val mine = generation
        worker.execute { load(mine) }
    }

    /** Reads the identity, then makes the calls that waited for it, then sends what the store has. */
    private fun load(mine: Int) {
        if (!synchronized(lock) { isGranted && early != null && mine == generation }) return
        try {
            identity.persist()
        } catch (error: IOException) {
            // A locked device: unreadable is not empty, so no new identity is made.
            reporter.storageFailed(error)
            worker.later(RETRY_READING_MS) { load(mine) }
            return
        }
        batcher.persist()
        // What waited is written before the worker does anything that was asked for after the calls.
        madeNow(mine).forEach { it() }
        if (synchronized(lock) { mine == generation }) outbox.start()
    }

    /** Makes the calls that waited. Returns the writes of their messages. */
    private fun madeNow(mine: Int): List<() -> Unit> =
        synchronized(lock) {
            if (mine != generation) return emptyList()
            val writes = ArrayList<() -> Unit>()
            val calls = early.orEmpty()
            early = null
            made = writes
            calls.forEach { it() }
            made = null
            writes
        }

    fun on(event: LifecycleEvent) {
        worker.execute {
            val mine = synchronized(lock) { generation.takeIf { isGranted } }
            when {
                event == LifecycleEvent.HIDE -> {
                    outbox.hold { batcher.sealAll() }
                    outbox.sendAll()
                }
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
