package tech.sluice

import tech.sluice.core.defaultFlushInterval

private const val DAY_MS = 86_400_000L

/**
 * Configuration of a client:
 *
 * ```
 * Configuration(apiKey, sourceIdentifier, apiHost) { errorHandler = ErrorHandler { Log.w("Shop", it.toString()) } }
 * ```
 *
 * A blank [apiKey], [sourceIdentifier] or [apiHost] makes a disabled client, and [errorHandler] says why.
 *
 * @property apiKey secret of the source
 * @property sourceIdentifier public handle of the source
 * @property apiHost host of the service; `https` unless it says `http://`
 */
public class Configuration
@JvmOverloads
constructor(
    public val apiKey: String?,
    public val sourceIdentifier: String?,
    public val apiHost: String?,
    configure: Configuration.() -> Unit = {},
) {
    /**
     * Address of the events, taken whole in place of [apiHost] and the path after it: an alias that the operator chose.
     * Push callbacks go to [apiHost] all the same.
     */
    public var eventsPath: String? = null

    /** Receives errors, on a thread of the SDK. */
    public var errorHandler: ErrorHandler? = null

    /** State of consent at the beginning. */
    public var consent: Consent = Consent.GRANTED

    /** Messages of a batch, 1 to 100. */
    public var flushAt: Int = 20

    private var chosenFlushInterval: Long? = null

    /**
     * Milliseconds after which a batch is sent: 15,000, so that the radio can sleep, or 2,000 with [debug], so that events
     * are seen soon. When the app goes to the background, everything is sent at once.
     */
    public var flushInterval: Long
        get() = chosenFlushInterval ?: defaultFlushInterval(debug)
        set(milliseconds) {
            chosenFlushInterval = milliseconds
        }

    /** Milliseconds since its first try after which a batch is given up; at most 30 days. */
    public var maxAge: Long = 30 * DAY_MS

    /** Logs each answer and each value that is left out; never keys or bodies. */
    public var debug: Boolean = false

    /** Plugins, which see each message before it is checked. */
    public var plugins: List<Plugin> = emptyList()

    /** How push messages are shown. */
    public val notifications: NotificationOptions = NotificationOptions()

    init {
        configure()
    }

    /** Names of the options in which [other] differs. A handler differs only if there was none before. */
    internal fun differencesTo(other: Configuration): List<String> {
        val values = { one: Configuration ->
            mapOf(
                "apiKey" to one.apiKey?.trim(),
                "eventsPath" to one.eventsPath?.trim(),
                "flushAt" to one.flushAt,
                "flushInterval" to one.flushInterval,
                "maxAge" to one.maxAge,
                "debug" to one.debug,
                "plugins" to one.plugins.size,
                "notifications.smallIcon" to one.notifications.smallIcon,
                "notifications.color" to one.notifications.color,
                "notifications.channelId" to one.notifications.channelId,
                "notifications.channelName" to one.notifications.channelName,
            )
        }
        val mine = values(this)
        val handlers = listOfNotNull(
            "errorHandler".takeIf { errorHandler == null && other.errorHandler != null },
            "notifications.listener".takeIf { notifications.listener == null && other.notifications.listener != null },
        )
        return values(other).filter { (name, value) -> mine[name] != value }.keys.toList() + handlers
    }

    /** Changes how push messages are shown. */
    @JvmSynthetic
    public fun notifications(configure: NotificationOptions.() -> Unit) {
        notifications.configure()
    }
}

/** How push messages are shown. */
public class NotificationOptions internal constructor() {
    /**
     * Drawable of the small icon, white on transparent. By default that of the manifest's
     * `tech.sluice.default_notification_icon`, else the app's icon unless it is adaptive, which cannot be a small icon.
     */
    public var smallIcon: Int = 0

    /** Accent colour; 0 means that of the manifest's `tech.sluice.default_notification_color`, else the system's. */
    public var color: Int = 0

    /** Id of the channel in which push messages are shown (from Android 8 on). The SDK makes it if the app has not. */
    public var channelId: String = "sluice"

    /** Name of the channel, as users see it in the settings. */
    public var channelName: String = "Messages"

    /** Receives taps and dismissals, on the main thread. */
    public var listener: NotificationListener? = null
}

/** Receives what users do with notifications. */
public fun interface NotificationListener {
    public fun onInteraction(interaction: NotificationInteraction)
}
