package tech.sluice.core

import tech.sluice.Consent
import tech.sluice.ErrorHandler
import tech.sluice.InternalSluiceApi
import tech.sluice.Plugin

private const val KIB = 1_024
private const val DAY = 86_400_000L

/** Largest accepted size of a message's text. */
internal const val MAX_MESSAGE_BYTES: Int = 32 * KIB

/** Options of a client as they were given; [readSettings] gives them defaults and bounds. */
@InternalSluiceApi
public class Options(
    public val apiKey: String?,
    public val sourceIdentifier: String?,
    public val apiHost: String?,
    public val consent: Consent = Consent.GRANTED,
    public val flushAt: Int? = null,
    public val flushInterval: Long? = null,
    public val maxAge: Long? = null,
    public val maxMessages: Int? = null,
    public val maxBytes: Long? = null,
    public val errorHandler: ErrorHandler? = null,
    public val isDebugging: Boolean = false,
    public val plugins: List<Plugin> = emptyList(),
    /** Address of the events, taken whole in place of [apiHost] and its path: an alias that the operator chose. */
    public val eventsPath: String? = null,
)

internal class Settings(
    val apiKey: String,
    val sourceIdentifier: String,
    /** `https://host`, followed by the path below which the API is served, if any. */
    val apiHost: String,
    /** Address of batches: [apiHost], or a whole address of events, which ends with a slash. */
    val host: String,
    val flushAt: Int,
    val flushInterval: Long,
    val maxAge: Long,
    val maxMessages: Int,
    val maxBytes: Long,
) {
    val maxBatchBytes: Int get() = 48 * KIB

    /** The part of the credentials that is blank; null if none is. */
    val blank: String?
        get() =
            when {
                apiKey.isEmpty() -> "apiKey"
                sourceIdentifier.isEmpty() -> "sourceIdentifier"
                apiHost.isEmpty() -> "apiHost"
                else -> null
            }
}

/** Milliseconds after which a batch is sent: a phone's radio stays awake for 5 to 10 s after each request. */
@InternalSluiceApi
public fun defaultFlushInterval(isDebugging: Boolean): Long = if (isDebugging) 2_000 else 15_000

internal fun readSettings(options: Options): Settings {
    val apiHost = parseAddress(options.apiHost)
    val eventsPath = parseAddress(options.eventsPath)
    return Settings(
        apiKey = options.apiKey.orEmpty().trim(),
        sourceIdentifier = options.sourceIdentifier.orEmpty().trim(),
        apiHost = apiHost,
        host = if (eventsPath.isEmpty()) apiHost else "$eventsPath/",
        flushAt = within(1, options.flushAt, 100, 20),
        flushInterval = within(0, options.flushInterval, 3_600_000, defaultFlushInterval(options.isDebugging)),
        maxAge = minOf(30 * DAY, within(0, options.maxAge, Long.MAX_VALUE, 7 * DAY)),
        maxMessages = within(1, options.maxMessages, Int.MAX_VALUE, 10_000),
        maxBytes = within(1, options.maxBytes, Long.MAX_VALUE, 10L * KIB * KIB),
    )
}

/** An address with its scheme and without slashes at its end; blank when it is not given. */
private fun parseAddress(given: String?): String {
    val text = given.orEmpty().trim()
    // Keyboards begin with a capital.
    val scheme = listOf("http://", "https://").find { text.startsWith(it, ignoreCase = true) }
    return (if (text.isEmpty()) text else (scheme ?: "https://") + text.drop(scheme.orEmpty().length)).trimEnd('/')
}

/** A missing value or one below the range becomes the default, one above it the maximum. */
private fun <T : Comparable<T>> within(min: T, value: T?, max: T, default: T): T =
    if (value != null && value >= min) minOf(max, value) else default
