import Foundation
@testable import SluiceSDK

/// Files of sdks/contract, which is next to this package.
enum Contract {
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../../../contract").standardizedFileURL

    static func json(_ path: String) throws -> JSON {
        let text = try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8)
        guard let json = JSON(parsing: text) else { throw Deviation("\(path) is not JSON") }
        return json
    }

    /// The vectors of a file of `vectors/`. One with cases stands for one vector per case (README.md, "Cases").
    static func vectors(_ file: String) throws -> [JSON] {
        try (json("vectors/\(file).json")["vectors"]?.list ?? []).flatMap { vector in
            try vector["cases"]?.list?.map { try vector.filled($0) } ?? [vector]
        }
    }
}

/// A difference between what a vector expects and what happened.
struct Deviation: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

extension JSON {
    static func object(_ members: [String: JSON]) -> JSON { .object(members.map { (name: $0.key, value: $0.value) }) }

    var bool: Bool? {
        if case .bool(let value) = self { return value }
        return nil
    }

    var members: [(name: String, value: JSON)] {
        if case .object(let members) = self { return members }
        return []
    }

    /// Text that is equal for equal values: the order of members does not count.
    var canonical: String {
        switch self {
        case .null: return "null"
        case .bool(let value): return String(value)
        case .number(let value): return "\(value)"
        case .string(let text):
            var json = JSONText()
            json.string(text)
            return json.text
        case .array(let items): return "[\(items.map(\.canonical).joined(separator: ","))]"
        case .object(let members):
            let sorted = members.map { "\(JSON.string($0.name).canonical):\($0.value.canonical)" }.sorted()
            return "{\(sorted.joined(separator: ","))}"
        }
    }

    /// The value as apps give it.
    var given: Any {
        switch self {
        case .null: return NSNull()
        case .bool(let value): return value
        case .number(let value): return value
        case .string(let text): return text
        case .array(let items): return items.map(\.given)
        case .object: return dictionary
        }
    }

    var dictionary: [String: Any] { Dictionary(members.map { ($0.name, $0.value.given) }) { $1 } }

    /// The vector of a case: each `{ "$case": name }` is the value that the case has under this name.
    fileprivate func filled(_ given: JSON) throws -> JSON {
        switch self {
        case .string(let text): return .string(text.replacingOccurrences(of: "{{case}}", with: given["case"]?.text ?? ""))
        case .array(let items): return .array(try items.map { try $0.filled(given) })
        case .object(let members):
            guard let name = self["$case"]?.text else {
                return .object(try members.filter { $0.name != "cases" }.map { (name: $0.name, value: try $0.value.filled(given)) })
            }
            guard let value = given[name] else { throw Deviation("the case \(given.canonical) has no \(name)") }
            return value
        default: return self
        }
    }

    /// Expands the short forms of sdks/contract/README.md.
    func expanded(_ fill: [String: String]) -> JSON {
        switch self {
        case .string(let text): return .string(JSON.filled(text, fill))
        case .array(let items): return .array(items.map { $0.expanded(fill) })
        case .object(let members): return shortForm(fill) ?? .object(members.map {
            (name: JSON.filled($0.name, fill), value: $0.value.expanded(fill))
        })
        default: return self
        }
    }

    private func shortForm(_ fill: [String: String]) -> JSON? {
        let times = self["times"]?.int ?? 0
        if let text = self["$repeat"]?.text { return .string(String(repeating: text, count: times)) }
        if let item = self["$items"] { return .array(Array(repeating: item.expanded(fill), count: times)) }
        if let name = self["$numbered"]?.text {
            let from = self["from"]?.int ?? 0
            return .array((from..<from + times).map { .string("\(name)\($0)") })
        }
        if let name = self["$members"]?.text { return .object((0..<times).map { (name: "\(name)\($0)", value: .number(1)) }) }
        if let levels = self["$nested"]?.int { return JSON.nested(levels, inArrays: self["in"]?.text == "arrays") }
        if let number = self["$number"]?.text { return .number(Double(number) ?? .nan) }
        if let units = self["$units"]?.list {
            return .string(String(decoding: units.compactMap { $0.int.map { UInt16($0) } }, as: UTF16.self))
        }
        return nil
    }

    private static func nested(_ levels: Int, inArrays: Bool) -> JSON {
        if levels == 0 { return .number(1) }
        let inner = nested(levels - 1, inArrays: inArrays)
        return inArrays ? .array([inner]) : .object([(name: "a", value: inner)])
    }

    private static func filled(_ text: String, _ fill: [String: String]) -> String {
        guard text.contains("{{") else { return text }
        return fill.reduce(text) { $0.replacingOccurrences(of: "{{\($1.key)}}", with: $1.value) }
    }
}
