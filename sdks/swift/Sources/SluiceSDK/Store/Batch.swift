/// The daily quotas of a source.
enum Quota: Sendable {
    case events, people
}

/// The kinds of batches, in the order in which they are closed. Registrations of devices are track messages in batches of
/// their own: the service counts them as people.
enum BatchKind: String, Sendable, CaseIterable {
    case identify, device, track

    static let registrationEvent = "bb_notification_registered"

    init(_ message: Message) {
        switch message.kind {
        case .identify: self = .identify
        case .track: self = message.event == BatchKind.registrationEvent ? .device : .track
        }
    }

    /// First part of the names of its endpoints.
    var path: String { self == .identify ? "identify" : "track" }
    var quota: Quota { self == .track ? .events : .people }
}

/// A batch without its messages. It belongs to a host and source and is sent with that source's current API key.
struct Batch: Sendable {
    var origin: Origin
    var count = 0
    /// Size of the request body in UTF-8 bytes.
    var bytes = Batch.frameBytes
    var isSealed = false
    var tries = Tries()

    static let frameBytes = Batch.body([]).utf8.count

    /// The Idempotency-Key.
    var key: String { origin.key }

    init(_ origin: Origin) { self.origin = origin }

    /// A batch of these messages.
    init(_ origin: Origin, _ texts: [String], isSealed: Bool = true) {
        self.origin = origin
        self.isSealed = isSealed
        count = texts.count
        bytes = Batch.size(texts)
    }

    /// The request body. Its bytes never change, because the service identifies a message by its bytes and position.
    static func body(_ texts: [String]) -> String { "{\"list\":[\(texts.joined(separator: ","))]}" }

    static func size(_ texts: [String]) -> Int {
        texts.reduce(frameBytes) { $0 + $1.utf8.count } + max(0, texts.count - 1)
    }
}

extension Origin {
    /// Origin of a batch made of this batch's messages from a place on. The key is derived, not random: all clients that
    /// take the same messages out of the same batch use the same key, so the messages are stored once.
    func derived(_ place: Int, host: String? = nil) -> Origin {
        Origin(
            key: "\(key).\(place)", host: host ?? self.host, sourceIdentifier: sourceIdentifier, kind: kind,
            created: created)
    }
}
