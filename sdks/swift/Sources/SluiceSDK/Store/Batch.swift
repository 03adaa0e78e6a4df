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
    func derived(_ place: Int) -> Origin {
        var other = self
        other.key = "\(key).\(place)"
        return other
    }
}
