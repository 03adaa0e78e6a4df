package tech.sluice.core

import java.util.Date
import tech.sluice.Message

/** Identifies a message in its stream and counts the messages that the device has given up. */
internal class SdkStamp(
    val sdk: SdkName,
    val device: String,
    val stream: String,
    val seq: Int,
    val lost: Long,
) {
    fun members(): Map<String, Any?> =
        linkedMapOf(
            "name" to sdk.name,
            "version" to sdk.version,
            "device" to device,
            "stream" to stream,
            "seq" to seq,
            "lost" to lost,
        )
}

/** Makes the texts of messages. */
internal class MessageText(private val plain: (Any) -> Any, private val leftOut: (path: String, why: String) -> Unit) {
    /**
     * A checked copy of a message. Runs code of the app: its values are read here for the last time.
     *
     * @throws RuleException if the service would refuse it
     */
    fun makeDraft(message: Message): Draft {
        val isTrack = message.kind == Message.Kind.TRACK
        check(message)
        for (id in listOf(message.userId, message.anonymousId)) check(id == null || isPersonId(id), "userId or anonymousId")
        val members = LinkedHashMap<String, Any>()
        message.userId?.let { members["userId"] = it }
        message.anonymousId?.let { members["anonymousId"] = it }
        if (isTrack) {
            members["event"] = message.event.orEmpty()
            message.properties?.let { members["properties"] = checked(it, "properties") }
        } else {
            message.traits?.let { members["traits"] = checked(it, "traits") }
        }
        val context = makeContext(message.context)
        members["context"] = context
        message.timestamp?.let { members["timestamp"] = it }
        return Draft(members, context)
    }

    private fun makeContext(given: Map<String, Any?>): MutableMap<String, Any?> {
        // The stamp comes first, because the last members are left out if there are too many.
        val all = linkedMapOf<String, Any?>("sdk" to null)
        all.putAll(given)
        all["sdk"] = anyStamp.members()
        return LinkedHashMap(FreeForm("context", true, plain, leftOut).copyMap(all))
    }

    /**
     * A copy that the caller's later changes do not reach.
     *
     * @throws RuleException if a name breaks its rule
     */
    fun frozen(message: Message): Message =
        message.copy(
            properties = message.properties?.let { checked(it, "properties") },
            traits = message.traits?.let { checked(it, "traits") },
            context = FreeForm("context", true, plain, leftOut).copyMap(message.context),
        )

    /** @throws RuleException if the name of an event breaks its rule */
    fun check(message: Message) {
        check(message.kind != Message.Kind.TRACK || isEventName(message.event), "event")
    }

    /** A copy of properties or traits that the service takes. */
    private fun checked(given: Map<*, *>, name: String): Map<String, Any?> = FreeForm(name, false, plain, leftOut).copyMap(given)
}

/** A message without its stamp. It holds only types of JSON. */
internal class Draft(private val members: Map<String, Any>, private val context: MutableMap<String, Any?>) {
    /**
     * The text that is stored and sent. It never changes afterwards.
     *
     * @throws RuleException if it is too long
     */
    fun textWith(stamp: SdkStamp): String {
        context["sdk"] = stamp.members()
        val text = formatJson(members)
        check(utf8Bytes(text) <= MAX_MESSAGE_BYTES, "size")
        return text
    }
}

/** A placeholder with as many members as each stamp. */
private val anyStamp = SdkStamp(SdkName("", ""), "", "", 0, 0)

/** The time in the service's format. @throws RuleException for a time that the service would refuse */
internal fun givenTimestamp(time: Date): String = isoTimeOf(time.time) ?: throw RuleException("timestamp breaks its rule")

private fun check(isRight: Boolean, part: String) {
    if (!isRight) throw RuleException("$part breaks its rule")
}
