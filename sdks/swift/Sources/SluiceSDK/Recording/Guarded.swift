import Foundation

/// A value that only one thread uses at a time.
final class Guarded<Value>: @unchecked Sendable {
    // @unchecked: the lock guards the value, which never leaves `with`.
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) { self.value = value }

    /// `work` must not call `with` again.
    func with<Result>(_ work: (inout Value) throws -> Result) rethrows -> Result {
        try lock.withLock { try work(&value) }
    }
}
