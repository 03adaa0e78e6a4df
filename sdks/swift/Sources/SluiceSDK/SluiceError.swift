/// An error that `Configuration.errorHandler` receives. No call throws.
public struct SluiceError: Error, Sendable {
    public enum Code: String, Sendable {
        /// A credential or the host is blank: the client does nothing.
        case disabled
        /// A call breaks a rule of the service and was not queued.
        case invalid
        /// The service refused messages or left values out; `count` messages are lost.
        case refused
        /// A try failed after `maxAge`; at most `count` messages are lost, because an answer may have been lost.
        case expired
        /// The queue was full; the `count` oldest messages are lost.
        case overflow
        /// The service does not accept the credentials; everything is kept.
        case unauthorized
        /// Three tries in a row had no answer of the service: wrong host or path, no network, a proxy. Once per outage;
        /// everything is kept.
        case unreachable
        /// Consent was denied, and `count` messages that waited were erased.
        case denied
        /// The store failed; `count` messages are lost, 0 while they are kept in memory.
        case storage
    }

    public let code: Code
    public let message: String
    /// Number of messages lost by the error, or erased.
    public let count: Int?
    /// `X-Request-Id` of the answer; name it when you ask the operators.
    public let requestId: String?
    public let cause: (any Error)?

    init(_ code: Code, _ message: String, count: Int? = nil, requestId: String? = nil, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.count = count
        self.requestId = requestId
        self.cause = cause
    }
}
