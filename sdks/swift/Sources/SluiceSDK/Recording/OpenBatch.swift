/// A batch that still gets messages.
final class OpenBatch: @unchecked Sendable {
    // @unchecked: the recorder's lock guards it; timers only hand it on.
    var batch: Batch
    var texts: [String] = []
    var writer: BatchWriter?
    /// True if the store has the batch; if not, it is only in memory.
    var isStored = false
    /// True if the store refused the first message; the others are then not offered to it.
    var isRefused = false
    /// True if it has been open for `flushInterval`, and stays open because nothing can be delivered.
    var isOverdue = false
    /// Cancels the timer that closes the batch.
    var cancelTimer: (@Sendable () -> Void)?

    init(_ origin: Origin) { batch = Batch(origin) }
}
