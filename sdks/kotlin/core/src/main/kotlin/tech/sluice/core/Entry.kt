package tech.sluice.core

/** A batch in the memory of its client. */
internal class Entry(
    val batch: Batch,
    /** The messages, if this client made them. Messages of other owners are read from the store. */
    val texts: MutableList<String>?,
) {
    /** True when the batch is sealed, also in the store if it is stored, and can be sent. */
    var isReady = false

    /** True if the store has the batch; if not, it is only in memory. */
    var isStored = texts == null

    /** True if the store refused the first message; the others are then not offered to it. */
    var isRefused = false

    var isInFlight = false

    /** True if the flush interval has passed and the batch stayed open, because nothing could be sent. */
    var isRipe = false

    /** Time of this client's first try, by the monotonic clock. */
    var triedAt: Long? = null

    /** Earliest time of the next try, by the monotonic clock. */
    var due = 0L

    /** Seals the batch after the flush interval. */
    var timer: Cancellation? = null
}
