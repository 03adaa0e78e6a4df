/// A JSON value that was read. Own code instead of JSONSerialization, so that a number is never taken for a Boolean and
/// every platform reads the same.
indirect enum JSON: Sendable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([JSON])
    /// In the order of the text; the last one of equal names counts.
    case object([(name: String, value: JSON)])

    subscript(name: String) -> JSON? {
        guard case .object(let members) = self else { return nil }
        return members.last { $0.name == name }?.value
    }

    var text: String? {
        if case .string(let value) = self { return value }
        return nil
    }

    var double: Double? {
        if case .number(let value) = self { return value }
        return nil
    }

    var list: [JSON]? {
        if case .array(let items) = self { return items }
        return nil
    }

    /// A whole number, as far as an integer holds it.
    var int: Int? { double.flatMap { Int(exactly: $0) } }

    /// Nil for text that is not exactly one JSON value, or is nested deeper than 128 levels.
    init?(parsing text: String) {
        var reader = JSONReader(bytes: Array(text.utf8))
        guard let value = try? reader.document() else { return nil }
        self = value
    }
}

private struct JSONReader {
    struct Malformed: Error {}

    let bytes: [UInt8]
    private var at = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    mutating func document() throws -> JSON {
        let value = try value(depth: 0)
        skipSpace()
        guard at == bytes.count else { throw Malformed() }
        return value
    }

    private mutating func value(depth: Int) throws -> JSON {
        skipSpace()
        guard depth < 128, at < bytes.count else { throw Malformed() }
        switch bytes[at] {
        case UInt8(ascii: "{"): return try object(depth: depth)
        case UInt8(ascii: "["): return try array(depth: depth)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return try number()
        }
    }

    private mutating func object(depth: Int) throws -> JSON {
        var members: [(name: String, value: JSON)] = []
        at += 1
        if take("}") { return .object(members) }
        repeat {
            skipSpace()
            guard at < bytes.count, bytes[at] == UInt8(ascii: "\"") else { throw Malformed() }
            let name = try string()
            guard take(":") else { throw Malformed() }
            members.append((name, try value(depth: depth + 1)))
        } while take(",")
        guard take("}") else { throw Malformed() }
        return .object(members)
    }

    private mutating func array(depth: Int) throws -> JSON {
        var items: [JSON] = []
        at += 1
        if take("]") { return .array(items) }
        repeat { items.append(try value(depth: depth + 1)) } while take(",")
        guard take("]") else { throw Malformed() }
        return .array(items)
    }

    private mutating func string() throws -> String {
        var units: [UInt8] = []
        at += 1
        while at < bytes.count {
            let byte = bytes[at]
            at += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: units, as: UTF8.self)
            case UInt8(ascii: "\\"): units.append(contentsOf: try escaped().utf8)
            case 0..<0x20: throw Malformed()
            default: units.append(byte)
            }
        }
        throw Malformed()
    }

    private mutating func escaped() throws -> String {
        guard at < bytes.count else { throw Malformed() }
        let sign = bytes[at]
        at += 1
        switch sign {
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{c}"
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return String(UnicodeScalar(sign))
        case UInt8(ascii: "u"):
            var units = [try unit()]
            let isPair = units[0] & 0xFC00 == 0xD800 && bytes[at...].starts(with: [UInt8(ascii: "\\"), UInt8(ascii: "u")])
            if isPair {
                at += 2
                units.append(try unit())
            }
            // An unpaired surrogate becomes U+FFFD: texts of Swift are always well-formed.
            return String(decoding: units, as: UTF16.self)
        default: throw Malformed()
        }
    }

    private mutating func unit() throws -> UInt16 {
        guard at + 4 <= bytes.count, let unit = UInt16(String(decoding: bytes[at..<at + 4], as: UTF8.self), radix: 16)
        else { throw Malformed() }
        at += 4
        return unit
    }

    private mutating func number() throws -> JSON {
        let start = at
        while at < bytes.count, "+-.0123456789eE".utf8.contains(bytes[at]) { at += 1 }
        guard at > start, let value = Double(String(decoding: bytes[start..<at], as: UTF8.self)) else { throw Malformed() }
        return .number(value)
    }

    private mutating func word(_ word: String, _ value: JSON) throws -> JSON {
        guard bytes[at...].starts(with: word.utf8) else { throw Malformed() }
        at += word.utf8.count
        return value
    }

    private mutating func take(_ sign: UnicodeScalar) -> Bool {
        skipSpace()
        guard at < bytes.count, bytes[at] == UInt8(ascii: sign) else { return false }
        at += 1
        return true
    }

    private mutating func skipSpace() {
        while at < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[at]) { at += 1 }
    }
}
