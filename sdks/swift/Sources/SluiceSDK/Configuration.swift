import Foundation

/// - `granted`: messages are stored and sent.
/// - `pending`: messages wait in memory; nothing is read, written or sent.
/// - `denied`: queue and identity are erased, and calls do nothing.
public enum Consent: Sendable {
    case granted, pending, denied
}

/// Called with each message before it is checked. Returns it, a changed message, or nil to leave it out.
public typealias Plugin = @Sendable (Message) throws -> Message?

public struct Configuration: Sendable {
    static let ageLimit: TimeInterval = 30 * 86_400

    /// Secret of the source. If it or one of the next two is blank, the client does nothing and reports `disabled`.
    public var apiKey: String
    public var sourceIdentifier: String
    /// `https://host`, followed by the path below which the API is served, if any. There is no default host.
    public var apiHost: String
    /// Address of the events, taken whole in place of `apiHost` and the path after it: an alias that the operator chose.
    /// Push callbacks go to `apiHost` all the same.
    public var eventsPath: String?
    public var consent = Consent.granted
    /// Messages per batch: 1 to 100.
    public var flushAt = 20
    private var chosenFlushInterval: TimeInterval?
    /// Seconds after which a batch is sent: 15, so that the radio can sleep, or 2 with `debug`, so that events are seen soon.
    /// When the app goes to the background, everything is sent at once.
    public var flushInterval: TimeInterval {
        get { chosenFlushInterval ?? (debug ? 2 : 15) }
        set { chosenFlushInterval = newValue }
    }
    /// Age of a batch, in seconds since its first try, past which a failed try ends it; at most 30 days.
    public var maxAge = ageLimit
    /// Limits of the queue.
    public var maxMessages = 10_000
    public var maxBytes = 10 * 1_024 * 1_024
    /// Receives errors, on the thread on which they occur.
    public var errorHandler: (@Sendable (SluiceError) -> Void)?
    /// Logs each answer and each value that is left out to standard error; never keys or bodies.
    public var debug = false
    public var plugins: [Plugin] = []
    /// App group whose container holds the queue, if app and extensions share it.
    public var appGroup: String?
    /// Folder of the SDK's files; by default one of the app group or of the app's support files.
    public var folder: URL?
    /// False stores without sending, for an extension whose app sends.
    public var isSender = true

    public init(apiKey: String, sourceIdentifier: String, apiHost: String) {
        self.apiKey = apiKey
        self.sourceIdentifier = sourceIdentifier
        self.apiHost = apiHost
    }

    public init(
        apiKey: String, sourceIdentifier: String, apiHost: String, _ configure: (inout Configuration) -> Void
    ) {
        self.init(apiKey: apiKey, sourceIdentifier: sourceIdentifier, apiHost: apiHost)
        configure(&self)
    }
}

/// The configuration within its limits.
struct Settings: Sendable, Equatable {
    static let maxMessageBytes = 32 * 1_024
    static let maxBatchBytes = 48 * 1_024

    let apiKey: String
    let sourceIdentifier: String
    let apiHost: String
    /// Address of batches: `apiHost`, or a whole address of events, which ends with a slash.
    let host: String
    let flushAt: Int
    /// In milliseconds, like all times inside.
    let flushInterval: Double
    let maxAge: Double
    let maxMessages: Int
    let maxBytes: Int
    let isSender: Bool

    /// A value below its range is replaced by the default.
    init(_ given: Configuration) {
        let standard = Configuration(apiKey: "", sourceIdentifier: "", apiHost: "") { $0.debug = given.debug }
        func trimmed(_ text: String) -> String { text.trimmingCharacters(in: .whitespacesAndNewlines) }
        apiKey = trimmed(given.apiKey)
        sourceIdentifier = trimmed(given.sourceIdentifier)
        apiHost = Settings.address(trimmed(given.apiHost))
        let eventsPath = Settings.address(trimmed(given.eventsPath ?? ""))
        host = eventsPath.isEmpty ? apiHost : "\(eventsPath)/"
        flushAt = given.flushAt >= 1 ? min(100, given.flushAt) : standard.flushAt
        flushInterval = (given.flushInterval >= 0 ? min(3_600, given.flushInterval) : standard.flushInterval) * 1_000
        maxAge = (given.maxAge >= 0 ? min(Configuration.ageLimit, given.maxAge) : standard.maxAge) * 1_000
        maxMessages = given.maxMessages >= 1 ? given.maxMessages : standard.maxMessages
        maxBytes = given.maxBytes >= 1 ? given.maxBytes : standard.maxBytes
        isSender = given.isSender
    }

    var isComplete: Bool { !apiKey.isEmpty && !sourceIdentifier.isEmpty && !apiHost.isEmpty }

    /// An address with its scheme and without slashes at its end; blank when it is not given.
    private static func address(_ text: String) -> String {
        guard !text.isEmpty else { return "" }
        // Keyboards begin with a capital.
        let scheme = ["http://", "https://"].first { text.prefix($0.count).lowercased() == $0 }
        var address = (scheme ?? "https://") + text.dropFirst(scheme?.count ?? 0)
        while address.hasSuffix("/") { address.removeLast() }
        return address
    }
}
