public struct FlushResult: Sendable, Equatable {
    /// Messages that the service confirmed during the call.
    public let sent: Int
    /// Messages that are still queued.
    public let left: Int
}
