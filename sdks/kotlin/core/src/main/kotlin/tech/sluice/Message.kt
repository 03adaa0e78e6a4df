package tech.sluice

/**
 * A message as plugins see it. The SDK adds `context.sdk` afterwards.
 *
 * @property timestamp ISO 8601 time; the time of arrival if null
 */
public data class Message(
    public val kind: Kind,
    public val userId: String?,
    public val anonymousId: String?,
    public val event: String?,
    public val properties: Map<String, Any?>?,
    public val traits: Map<String, Any?>?,
    public val context: Map<String, Any?>,
    public val timestamp: String?,
) {
    /** The kinds of messages. */
    public enum class Kind {
        TRACK,
        IDENTIFY,
    }
}

/** Sees each message before it is checked: on the thread of the call, or of the SDK if the call had to wait. */
public fun interface Plugin {
    /** Returns the message, a changed copy, or null to leave it out. */
    public fun process(message: Message): Message?
}
