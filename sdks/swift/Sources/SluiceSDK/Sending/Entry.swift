/// A batch that the recorder has closed and hands to the outbox.
struct ClosedBatch: Sendable {
    var batch: Batch
    var texts: [String]
    /// True if the store has the batch; if not, it is only in memory.
    var isStored: Bool
    /// Number of times that consent was denied before.
    let epoch: Int
}

/// A pending batch in the memory of the outbox.
final class Entry {
    var batch: Batch
    /// The messages, if this client made them. Messages of other owners are read from the store.
    var texts: [String]?
    var isStored: Bool
    let epoch: Int
    /// Number of the request under way.
    var flight: Int?
    /// Time of this client's first try, by the monotonic clock.
    var triedAt: Double?
    /// Earliest time of the next try, by the monotonic clock.
    var due = 0.0
    /// Place in the order in which batches entered the queue.
    var order = 0

    init(_ closed: ClosedBatch) {
        batch = closed.batch
        texts = closed.texts
        isStored = closed.isStored
        epoch = closed.epoch
    }

    /// A batch of an earlier owner.
    init(adopted batch: Batch, epoch: Int) {
        self.batch = batch
        self.epoch = epoch
        isStored = true
    }
}
