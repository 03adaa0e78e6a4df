/// A batch that the recorder has closed and hands to the outbox.
struct ClosedBatch: Sendable {
    var batch: Batch
    var texts: [String]
    /// True if the store has the batch; otherwise it is only in memory.
    var isStored: Bool
    /// True if the store was cleared since.
    var isCleared: Bool
    /// Number of times that consent was denied before.
    let epoch: Int
}

/// A pending batch in the memory of the outbox.
final class Entry {
    var batch: Batch
    /// The messages, if this client made them. Messages of other owners are read from the store.
    var texts: [String]?
    var isStored: Bool
    /// True if the store was cleared since. If it lacks the batch, no other client has it either.
    var isCleared: Bool
    let epoch: Int
    /// Number of the request under way.
    var flight: Int?
    /// Earliest time of the next try, by the monotonic clock.
    var due = 0.0
    /// Place in the order in which batches entered the queue.
    var order = 0

    init(_ closed: ClosedBatch) {
        batch = closed.batch
        texts = closed.texts
        isStored = closed.isStored
        isCleared = closed.isCleared
        epoch = closed.epoch
    }

    /// A batch of an earlier owner.
    init(adopted batch: Batch, epoch: Int) {
        self.batch = batch
        self.epoch = epoch
        isStored = true
        isCleared = false
    }
}
