package tech.sluice.core

import tech.sluice.InternalSluiceApi
import tech.sluice.Message

/** Event by which a device registers its push token. */
internal const val REGISTRATION_EVENT = "bb_notification_registered"

/** The daily quotas of a source. */
internal enum class Quota { EVENTS, PEOPLE }

/**
 * The kinds of batches. Registrations of devices are track messages in batches of their own: the service counts them as
 * people.
 *
 * @property path first part of the names of its endpoints
 */
@InternalSluiceApi
public enum class BatchKind(internal val text: String, internal val path: String, internal val quota: Quota) {
    IDENTIFY("identify", "identify", Quota.PEOPLE),
    DEVICE("device", "track", Quota.PEOPLE),
    TRACK("track", "track", Quota.EVENTS),
    ;

    internal companion object {
        fun of(message: Message): BatchKind =
            when {
                message.kind == Message.Kind.IDENTIFY -> IDENTIFY
                message.event == REGISTRATION_EVENT -> DEVICE
                else -> TRACK
            }
    }
}

/**
 * A batch without its messages. It belongs to a host and source and is sent with that source's current API key.
 *
 * @property key the Idempotency-Key
 * @property bytes size of the request body in UTF-8 bytes
 * @property doubts tries for which it is unknown whether the service stored the messages
 * @property tooLarge number of 413 answers while a try was in doubt
 * @property firstTry time of the first try by the service's clock; 0 while it is unknown
 * @property lastTry time by the device's clock, like [nextTry]; 0 means never
 */
@InternalSluiceApi
public data class Batch(
    val key: String,
    val host: String,
    val sourceIdentifier: String,
    val kind: BatchKind,
    val created: Long,
    var count: Int = 0,
    var bytes: Int = FRAME_BYTES,
    var isSealed: Boolean = false,
    var tries: Int = 0,
    var doubts: Int = 0,
    var tooLarge: Int = 0,
    var firstTry: Long = 0,
    var lastTry: Long = 0,
    var nextTry: Long = 0,
) {
    /** The same messages as a batch for another host, sealed and never tried there. It ages from the same first try. */
    internal fun movedTo(host: String, texts: List<String>): Batch =
        copy(host = host).sealedPart(deriveKey(key, 0), texts).also { it.firstTry = firstTry }

    /** A batch of the same origin that has never been tried, sealed with these messages. */
    internal fun sealedPart(key: String, texts: List<String>): Batch =
        Batch(key, host, sourceIdentifier, kind, created, texts.size, bodyBytes(texts), isSealed = true)
}

/** A batch and its messages. */
@InternalSluiceApi
public class BatchContent(public val batch: Batch, public val texts: List<String>)

private const val FRAME_BYTES = """{"list":[]}""".length

/** The request body. Its bytes never change, because the service identifies a message by its bytes and position. */
internal fun joinTexts(texts: List<String>): String = texts.joinToString(",", """{"list":[""", "]}")

internal fun bodyBytes(texts: List<String>): Int =
    FRAME_BYTES + texts.sumOf { utf8Bytes(it) } + maxOf(0, texts.size - 1)

/**
 * Key of a batch made of another batch's messages from [index] on. The key is derived, not random: all clients that
 * take the same messages out of the same batch use the same key, so the messages are stored once.
 */
internal fun deriveKey(key: String, index: Int): String = "$key.$index"

/** Size of well-formed text in UTF-8 bytes. */
internal fun utf8Bytes(text: String): Int =
    text.sumOf { sign ->
        // Each half of a surrogate pair is two of its four bytes.
        if (sign < '\u0080') 1.toInt() else if (sign < '\u0800' || sign.isSurrogate()) 2 else 3
    }
