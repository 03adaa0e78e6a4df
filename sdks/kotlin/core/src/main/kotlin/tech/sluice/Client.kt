package tech.sluice

import java.util.concurrent.Future
import java.util.concurrent.FutureTask
import tech.sluice.core.ClientState
import tech.sluice.core.LifecycleEvent
import tech.sluice.core.Options
import tech.sluice.core.Ports

/**
 * Takes events and sends them to the service, each stored exactly once. It may be called on any thread. No method
 * throws or waits for the network or a file. Do not wait for its futures on a thread of the SDK.
 *
 * A client without credentials or host is disabled: its methods do nothing.
 */
public class Client
@InternalSluiceApi
constructor(options: Options, ports: Ports) {
    private val state = ClientState(options, ports)

    /** True if a credential or the host is blank, so that the client does nothing. */
    public val isDisabled: Boolean get() = state.isDisabled

    /** True after [close]. */
    @InternalSluiceApi
    public val isClosed: Boolean get() = state.isClosed

    /** True if messages may be sent: the client is enabled and consent is granted. */
    @InternalSluiceApi
    public val isSending: Boolean get() = state.isSending

    /** True if messages are taken: the client is enabled and open, and consent is not denied. */
    @InternalSluiceApi
    public val isTaking: Boolean get() = state.isTaking

    /** Host of the service, `https://host` with its path. Push callbacks go there, even if events go elsewhere. */
    @InternalSluiceApi
    public val apiHost: String get() = state.apiHost

    /** Id of the person while nobody is identified; null if consent is denied, and until it has been read. */
    public val anonymousId: String? get() = state.anonymousId

    /** The identified user; null if there is none, until it has been read, and after [close]. */
    public val userId: String? get() = state.userId

    /** Id of the device, which [reset] keeps; null if consent is denied, and until it has been read. */
    public val deviceId: String? get() = state.deviceId

    /**
     * Takes an event.
     *
     * @param event name of the action: 1 to 64 of `a-z A-Z 0-9 _ - .`
     * @param properties texts, numbers, booleans, null, dates, maps and lists of them
     * @return false if the client is disabled or closed, consent is denied, a plugin drops the event, or the event is
     * refused, which the error handler reports
     */
    @JvmOverloads
    public fun track(event: String?, properties: Map<String, Any?>? = null, options: CallOptions? = null): Boolean =
        state.track(event, properties, options)

    /** Takes an event that has a type of its own. */
    public fun track(event: Event): Boolean = state.track(event.name, event.properties, null)

    /**
     * Assigns the following events to this user. An id that breaks its rule ends the previous user, so that nobody's
     * events go to another person.
     *
     * @param userId 1 to 64 of `a-z A-Z 0-9 _ - . @ : + | = ~`
     * @return false if it was not taken, as with [track]
     */
    @JvmOverloads
    public fun identify(userId: String?, traits: Map<String, Any?>? = null, options: CallOptions? = null): Boolean =
        state.identify(userId, traits, options)

    /** Forgets the user and makes a new anonymousId. The device id stays. */
    public fun reset() {
        state.reset()
    }

    /** Registers the device's push token (`bb_notification_registered`). Call it with each token that you get. */
    public fun setDeviceToken(token: String?): Boolean = state.register(token)

    /** Sends what can be sent now. Only call `get` of the future on a thread of your own. */
    public fun flush(): Future<FlushResult> = Promise().also { state.flush(it::complete) }

    /** Sends what can be sent now. */
    public fun flush(listener: FlushListener) {
        state.flush(listener::onFlushed)
    }

    /** Takes nothing more, and sends what can be sent now. */
    public fun close(): Future<FlushResult> = Promise().also { state.close(it::complete) }

    /** Changes whether ids and messages may be stored and sent. */
    public fun consent(consent: Consent) {
        state.agree(consent)
    }

    /** Adds a plugin, which sees the messages of later calls. */
    public fun use(plugin: Plugin) {
        state.use(plugin)
    }

    /** Handles a second create of this client: applies a stricter consent, and reports options that change nothing. */
    @InternalSluiceApi
    public fun createdAgain(consent: Consent, ignored: List<String>) {
        state.createdAgain(consent, ignored)
    }

    /** Takes and sends nothing more: another client of the source sends what is in files. Calls [done] on the worker. */
    @InternalSluiceApi
    public fun leave(done: () -> Unit) {
        state.leave(done)
    }

    /** Handles what happens around the client. */
    @InternalSluiceApi
    public fun handle(event: LifecycleEvent) {
        state.on(event)
    }
}

private class Promise : FutureTask<FlushResult>({ FlushResult(0, 0) }) {
    fun complete(result: FlushResult) {
        set(result)
    }
}

/** `track("order_completed", "total" to 49.9, "items" to 3)`. */
@JvmSynthetic
public fun Client.track(event: String, vararg properties: Pair<String, Any?>): Boolean = track(event, properties.toMap())
