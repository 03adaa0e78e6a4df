import Foundation

/// A stand-in for `ProcessInfo.performExpiringActivity` of iOS: runs the block once, on a background queue. iOS holds
/// the process while the block runs, and runs it again when time is up.
extension ProcessInfo {
    public func performExpiringActivity(withReason reason: String, using block: @escaping @Sendable (Bool) -> Void) {
        StubActivities.begin(reason, block)
    }
}

public enum StubActivities {
    private static let lock = NSLock()
    nonisolated(unsafe) private static var begun: [String] = []
    nonisolated(unsafe) private static var running: [String: Int] = [:]
    nonisolated(unsafe) private static var grants = true

    public static var reasons: [String] { lock.withLock { begun } }
    /// Number of activities of this reason that hold the process.
    public static func held(_ reason: String) -> Int { lock.withLock { running[reason] ?? 0 } }
    /// False makes the system refuse time.
    public static var isGranting: Bool {
        get { lock.withLock { grants } }
        set { lock.withLock { grants = newValue } }
    }

    static func begin(_ reason: String, _ block: @escaping @Sendable (Bool) -> Void) {
        let isExpired = lock.withLock {
            begun.append(reason)
            running[reason, default: 0] += 1
            return !grants
        }
        DispatchQueue.global().async {
            block(isExpired)
            lock.withLock { running[reason, default: 0] -= 1 }
        }
    }
}
