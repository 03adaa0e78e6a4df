import Foundation

/// URLs of payloads as campaigns write them, with letters of any script. `URL(string:)` encodes them from iOS 17 on and
/// returns nil before.
enum TargetURL {
    static func url(_ text: String) -> URL? {
        let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
        return text.isEmpty ? nil : URL(string: encoded(text))
    }

    /// The URL in ASCII: the host of a website by IDNA, everything else percent-encoded. What is encoded already stays.
    static func encoded(_ text: String) -> String {
        guard let scheme = text.range(of: "://") else { return escaped(text) }
        let after = text[scheme.upperBound...]
        let end = after.firstIndex { "/?#".contains($0) } ?? after.endIndex
        let isWeb = ["http", "https"].contains(text[..<scheme.lowerBound].lowercased())
        let authority = String(after[..<end])
        let host = isWeb ? ascii(authority) : authority
        return text[..<scheme.upperBound] + escaped(host, alsoAllowed: "[]") + escaped(String(after[end...]))
    }

    // MARK: Percent-encoding

    /// Unreserved and reserved characters of RFC 3986 without brackets, which only a host may have.
    private static let allowed = Set("-._~!$&'()*+,;=:@/?".utf8)

    private static func escaped(_ text: String, alsoAllowed: String = "") -> String {
        let bytes = Array(text.utf8)
        let more = Set(alsoAllowed.utf8)
        var result = ""
        var hasFragment = false
        for (at, byte) in bytes.enumerated() {
            let stays: Bool
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: stays = true
            case UInt8(ascii: "%"): stays = at + 2 < bytes.count && isHex(bytes[at + 1]) && isHex(bytes[at + 2])
            case UInt8(ascii: "#"):
                stays = !hasFragment
                hasFragment = true
            default: stays = allowed.contains(byte) || more.contains(byte)
            }
            if stays {
                result.unicodeScalars.append(UnicodeScalar(byte))
            } else {
                let digits = String(byte, radix: 16, uppercase: true)
                result += digits.utf8.count == 1 ? "%0\(digits)" : "%\(digits)"
            }
        }
        return result
    }

    private static func isHex(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x46, 0x61...0x66: return true
        default: return false
        }
    }

    // MARK: Hosts

    private static func ascii(_ authority: String) -> String {
        guard !authority.utf8.allSatisfy({ $0 < 0x80 }) else { return authority }
        let host = authority.split(separator: "@", omittingEmptySubsequences: false).last.map(String.init) ?? ""
        let before = authority.dropLast(host.count)
        let labels = host.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        return before + labels.map(label).joined(separator: ".")
    }

    private static func label(_ text: String) -> String {
        guard !text.utf8.allSatisfy({ $0 < 0x80 }) else { return text }
        // A port may follow the last label.
        let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
        let name = parts[0].lowercased().precomposedStringWithCanonicalMapping
        let port = parts.count > 1 ? ":\(parts[1])" : ""
        return name.utf8.allSatisfy { $0 < 0x80 } ? name + port : "xn--\(Punycode.encode(name))\(port)"
    }
}

/// RFC 3492, encoding only.
enum Punycode {
    private static let (base, minDigit, maxDigit, skew, damp) = (36, 1, 26, 38, 700)
    private static let digits = Array("abcdefghijklmnopqrstuvwxyz0123456789")

    static func encode(_ text: String) -> String {
        let scalars = text.unicodeScalars.map { Int($0.value) }
        var result = String(text.unicodeScalars.filter(\.isASCII).map(Character.init))
        let basic = result.count
        var handled = basic
        if basic > 0 { result.append("-") }
        var (number, delta, bias) = (128, 0, 72)
        while handled < scalars.count {
            guard let next = scalars.filter({ $0 >= number }).min() else { break }
            delta += (next - number) * (handled + 1)
            number = next
            for scalar in scalars {
                if scalar < number { delta += 1 }
                guard scalar == number else { continue }
                result += variable(delta, bias)
                bias = adapted(delta, handled + 1, isFirst: handled == basic)
                delta = 0
                handled += 1
            }
            delta += 1
            number += 1
        }
        return result
    }

    /// A number in digits of variable length.
    private static func variable(_ delta: Int, _ bias: Int) -> String {
        var (rest, place, text) = (delta, base, "")
        while true {
            let threshold = min(max(place - bias, minDigit), maxDigit)
            if rest < threshold { return text + String(digits[rest]) }
            text.append(digits[threshold + (rest - threshold) % (base - threshold)])
            rest = (rest - threshold) / (base - threshold)
            place += base
        }
    }

    private static func adapted(_ delta: Int, _ count: Int, isFirst: Bool) -> Int {
        var rest = isFirst ? delta / damp : delta / 2
        rest += rest / count
        var place = 0
        while rest > (base - minDigit) * maxDigit / 2 {
            rest /= base - minDigit
            place += base
        }
        return place + (base - minDigit + 1) * rest / (rest + skew)
    }
}
