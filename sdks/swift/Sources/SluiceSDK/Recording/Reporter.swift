import Foundation

/// Reports errors to the integrator. Never called while a lock is held, so that a handler can call the client.
final class Reporter: @unchecked Sendable {
    // @unchecked: the lock guards the only mutable member.
    private let lock = NSLock()
    private var hasStorageFailed = false
    private let handler: (@Sendable (SluiceError) -> Void)?
    /// Counts messages that were given up.
    private let giveUp: @Sendable (Int) -> Void
    let debug: (@Sendable (String) -> Void)?

    init(
        handler: (@Sendable (SluiceError) -> Void)?, debug: (@Sendable (String) -> Void)?,
        giveUp: @escaping @Sendable (Int) -> Void
    ) {
        self.handler = handler
        self.debug = debug
        self.giveUp = giveUp
    }

    func report(_ error: SluiceError) {
        debug?("\(error.code): \(error.message)")
        if let count = error.count, count > 0 { giveUp(count) }
        handler?(error)
    }

    /// Reports messages that a denial of consent has erased. They count as nothing lost: the ids are erased as well.
    func erased(_ count: Int) {
        if count > 0 { handler?(SluiceError(.denied, "erased what waited", count: count)) }
    }

    /// Reports a failing store only once until it works again, because it can fail at every message.
    func storageFailed(_ cause: any Error) {
        let isFirst = lock.withLock {
            defer { hasStorageFailed = true }
            return !hasStorageFailed
        }
        if isFirst { report(SluiceError(.storage, "the store failed", count: 0, cause: cause)) }
    }

    func storageWorks() { lock.withLock { hasStorageFailed = false } }

    /// Runs work of the store. Nil if it fails, which is reported.
    func storing<Result>(_ work: () throws -> Result) -> Result? {
        do {
            return try work()
        } catch {
            storageFailed(error)
            return nil
        }
    }
}
