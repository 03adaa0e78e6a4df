import Foundation

/// Work for the outbox, done one at a time in the order in which it was posted. Tasks alone give no order.
final class Inbox: @unchecked Sendable {
    typealias Job = @Sendable (isolated Outbox) -> Void

    // @unchecked: the lock guards the mutable members.
    private let lock = NSLock()
    private let continuation: AsyncStream<Job>.Continuation
    private var pending = 0
    private var idle: [@Sendable () -> Void] = []
    let jobs: AsyncStream<Job>

    init() {
        (jobs, continuation) = AsyncStream.makeStream(of: Job.self)
    }

    /// Returns false, and does nothing, once the inbox is finished.
    @discardableResult
    func post(_ job: @escaping Job) -> Bool {
        // Both under the lock: otherwise two threads could post in one order and count in the other.
        lock.withLock {
            pending += 1
            guard case .terminated = continuation.yield(job) else { return true }
            pending -= 1
            return false
        }
    }

    func finish() { continuation.finish() }

    func done() {
        let waiting = lock.withLock {
            pending -= 1
            guard pending == 0 else { return [] as [@Sendable () -> Void] }
            defer { idle = [] }
            return idle
        }
        for call in waiting { call() }
    }

    /// Calls back when no posted work is left.
    func whenIdle(_ call: @escaping @Sendable () -> Void) {
        let isIdle = lock.withLock {
            if pending > 0 { idle.append(call) }
            return pending == 0
        }
        if isIdle { call() }
    }
}
