package tech.sluice

/**
 * Result of [Client.flush].
 *
 * @property sent messages that the service confirmed during the call
 * @property left messages that are still queued
 */
public data class FlushResult(public val sent: Int, public val left: Int)

/** Receives the result of [Client.flush] or [Client.close], on a thread of the SDK. */
public fun interface FlushListener {
    public fun onFlushed(result: FlushResult)
}
