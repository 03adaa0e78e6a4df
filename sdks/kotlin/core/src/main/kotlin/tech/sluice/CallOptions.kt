package tech.sluice

import java.util.Date

/**
 * Options of one call.
 *
 * @property timestamp when it happened; the time of the call if left out
 * @property context is added to the message's context, and wins over the platform's
 */
public class CallOptions
@JvmOverloads
constructor(
    public val timestamp: Date? = null,
    public val context: Map<String, Any?>? = null,
)
