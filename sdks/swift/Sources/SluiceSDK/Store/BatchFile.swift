/// Kinds of frames of a batch file (sdks/contract/store.md).
enum FrameKind: UInt8 {
    case header = 0x48  // H
    case message = 0x4D  // M
    case seal = 0x53  // S
    case tries = 0x54  // T
    case divided = 0x44  // D
}

/// Times and numbers of tries of a batch. A time of 0 means never.
struct Tries: Sendable, Equatable {
    var tries = 0
    /// Tries for which it is unknown whether the service stored the messages.
    var doubts = 0
    /// Number of 413 answers while a try was in doubt.
    var tooLarge = 0
    /// Time of the first try by the service's clock; 0 while it is unknown. The other times are the device's.
    var firstTry = 0.0
    var lastTry = 0.0
    var nextTry = 0.0
}

/// Origin of a batch, which its header states.
struct Origin: Sendable, Equatable {
    var key: String
    let host: String
    let sourceIdentifier: String
    let kind: BatchKind
    /// Milliseconds since 1970.
    let created: Double
}

/// Content of a batch file.
struct BatchFile: Sendable, Equatable {
    let origin: Origin
    var messages: [String]
    /// Messages after the seal; they belong to the batch `key.<count>`.
    var later: [String]
    var isSealed: Bool
    var tries: Tries?
    var dividedAt: Int?
    /// True if the file ends in an incomplete frame, whose write was never acknowledged.
    var isTorn: Bool
    /// Number of messages lost by damage.
    var lost: Int
    /// Position after the last whole frame.
    var end: Int
}

enum ReadBatch: Sendable, Equatable {
    case batch(BatchFile)
    /// No whole header; this many messages are lost.
    case empty(lost: Int)
    case foreign
    case newer
}

enum BatchFormat {
    private static let magic = Array("SLUICEB".utf8)
    private static let version: UInt8 = 1
    private static let headBytes = 8
    private static let maxPayload = 1_048_576

    static let fileHead = magic + [version]

    static func frame(_ kind: FrameKind, _ text: String) -> [UInt8] {
        let payload = [kind.rawValue] + Array(text.utf8)
        let length = littleEndian(UInt32(payload.count))
        return length + littleEndian(CRC32.of(length[...], payload[...])) + payload
    }

    static func header(_ origin: Origin) -> [UInt8] {
        var json = JSONText()
        json.raw("{\"key\":")
        json.string(origin.key)
        json.raw(",\"host\":")
        json.string(origin.host)
        json.raw(",\"sourceIdentifier\":")
        json.string(origin.sourceIdentifier)
        json.raw(",\"kind\":\"\(origin.kind.rawValue)\",\"created\":")
        json.number(origin.created)
        json.raw("}")
        return frame(.header, json.text)
    }

    static func seal(count: Int) -> [UInt8] { frame(.seal, "{\"count\":\(count)}") }

    static func divided(at: Int) -> [UInt8] { frame(.divided, "{\"at\":\(at)}") }

    static func tries(_ tries: Tries) -> [UInt8] {
        let times = [("firstTry", tries.firstTry), ("lastTry", tries.lastTry), ("nextTry", tries.nextTry)]
            .map { ",\"\($0)\":\(JSONText.number($1))" }.joined()
        return frame(.tries, "{\"tries\":\(tries.tries),\"doubts\":\(tries.doubts),\"tooLarge\":\(tries.tooLarge)\(times)}")
    }

    static func read(_ bytes: [UInt8]) -> ReadBatch {
        let start = fileHead.count
        if bytes.count < start { return .empty(lost: 0) }
        guard bytes.starts(with: magic) else { return .foreign }
        guard bytes[magic.count] == version else { return .newer }
        let (frames, end) = frames(of: bytes, from: start)
        let (isTorn, lost) = damage(of: bytes, from: end)
        // The damaged frame is the header, which does not count as a message.
        guard let first = frames.first, first.kind == FrameKind.header.rawValue else {
            return .empty(lost: lost == 0 ? 0 : max(1, lost - 1))
        }
        // A header of another shape is from an SDK that this one does not know.
        guard let origin = origin(of: first.text) else { return .newer }
        var file = BatchFile(
            origin: origin, messages: [], later: [], isSealed: false, tries: nil, dividedAt: nil, isTorn: isTorn,
            lost: lost, end: end)
        add(frames, to: &file)
        return .batch(file)
    }

    private static func add(_ frames: [Frame], to file: inout BatchFile) {
        var messages: [String] = []
        var count: Int?
        for frame in frames {
            switch FrameKind(rawValue: frame.kind) {
            case .message: messages.append(frame.text)
            // Clients may seal at the same time: all agree on the first.
            case .seal: count = count ?? JSON(parsing: frame.text)?["count"]?.int
            case .tries: file.tries = JSON(parsing: frame.text).map(tries(of:))
            case .divided: file.dividedAt = JSON(parsing: frame.text)?["at"]?.int
            case .header, nil: break
            }
        }
        let sealedCount = min(max(0, count ?? messages.count), messages.count)
        file.isSealed = count != nil
        file.messages = Array(messages[..<sealedCount])
        file.later = Array(messages[sealedCount...])
        file.lost += max(0, (count ?? 0) - messages.count)
    }

    private static func origin(of text: String) -> Origin? {
        guard let json = JSON(parsing: text), let key = json["key"]?.text, let host = json["host"]?.text,
            let source = json["sourceIdentifier"]?.text, let kind = BatchKind(rawValue: json["kind"]?.text ?? ""),
            let created = json["created"]?.double
        else { return nil }
        return Origin(key: key, host: host, sourceIdentifier: source, kind: kind, created: created)
    }

    private static func tries(of json: JSON) -> Tries {
        Tries(
            tries: json["tries"]?.int ?? 0, doubts: json["doubts"]?.int ?? 0, tooLarge: json["tooLarge"]?.int ?? 0,
            firstTry: json["firstTry"]?.double ?? 0, lastTry: json["lastTry"]?.double ?? 0,
            nextTry: json["nextTry"]?.double ?? 0)
    }

    private struct Frame {
        let kind: UInt8
        let text: String
    }

    private static func frames(of bytes: [UInt8], from start: Int) -> (frames: [Frame], end: Int) {
        var frames: [Frame] = []
        var at = start
        while let payload = payload(of: bytes, at: at) {
            frames.append(Frame(kind: payload[payload.startIndex], text: String(decoding: payload.dropFirst(), as: UTF8.self)))
            at += headBytes + payload.count
        }
        return (frames, at)
    }

    /// Nil if no whole frame begins at this position.
    private static func payload(of bytes: [UInt8], at: Int) -> ArraySlice<UInt8>? {
        guard at + headBytes <= bytes.count else { return nil }
        let length = Int(number(of: bytes, at: at))
        guard length > 0, length <= maxPayload, at + headBytes + length <= bytes.count else { return nil }
        let payload = bytes[at + headBytes..<at + headBytes + length]
        return CRC32.of(bytes[at..<at + 4], payload) == number(of: bytes, at: at + 4) ? payload : nil
    }

    /// Classifies the bytes after the last valid frame: none, a torn write, or damage followed by valid frames.
    private static func damage(of bytes: [UInt8], from end: Int) -> (isTorn: Bool, lost: Int) {
        guard end < bytes.count else { return (false, 0) }
        var at = end + 1
        while at + headBytes < bytes.count {
            if payload(of: bytes, at: at) != nil {
                let behind = frames(of: bytes, from: at).frames
                return (false, 1 + behind.filter { $0.kind == FrameKind.message.rawValue }.count)
            }
            at += 1
        }
        return (true, 0)
    }

    private static func number(of bytes: [UInt8], at: Int) -> UInt32 {
        (0..<4).reduce(0) { $0 | UInt32(bytes[at + $1]) << UInt32(8 * $1) }
    }

    private static func littleEndian(_ number: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> UInt32(8 * $0)) }
    }
}

/// CRC-32 (ISO-HDLC), as zip has it.
enum CRC32 {
    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { sum, _ in sum & 1 == 1 ? 0xEDB8_8320 ^ (sum >> 1) : sum >> 1 }
    }

    /// Checksum of the first bytes followed by the second ones.
    static func of(_ first: ArraySlice<UInt8>, _ second: ArraySlice<UInt8>) -> UInt32 {
        var sum: UInt32 = 0xFFFF_FFFF
        for byte in first { sum = table[Int((sum ^ UInt32(byte)) & 0xFF)] ^ (sum >> 8) }
        for byte in second { sum = table[Int((sum ^ UInt32(byte)) & 0xFF)] ^ (sum >> 8) }
        return sum ^ 0xFFFF_FFFF
    }
}
