import Foundation

/// A value of properties, traits or context, one level deep.
enum FreeFormValue {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case list([Any])
    case members([String: Any])
    /// A value that JSON does not have.
    case other
}

/// Writes a free-form object without the parts that the service would drop (docs/api.md, "What is dropped").
struct FreeForm {
    private static let maxItems = 256
    private static let maxMembers = 256
    private static let maxLevels = 8
    private static let maxText = 4_096
    /// Larger whole numbers are not exact.
    private static let largestNumber = 9_007_199_254_740_992.0

    private var json = JSONText()
    private var members = 0
    /// A lower bound of the bytes of the copy: lists of lists would make a huge copy before it is measured.
    private var bytes = 0
    private let areNamesFree: Bool
    private let leftOut: (_ path: String, _ why: String) -> Void

    /// - Parameter first: a member that comes first and is kept whatever else there is.
    /// - Throws: `BrokenRule` if a name breaks its rule, unless names are free, or if the copy is larger than a message.
    static func text(
        _ object: [String: Any],
        root: String,
        areNamesFree: Bool = false,
        first: (name: String, value: [(String, Any)])? = nil,
        leftOut: @escaping (_ path: String, _ why: String) -> Void
    ) throws -> String {
        var form = FreeForm(areNamesFree: areNamesFree, leftOut: leftOut)
        var ordered = inOrder(object)
        if let first {
            ordered.removeAll { $0.0 == first.name }
            ordered.insert((first.name, OrderedMembers(members: first.value)), at: 0)
        }
        try form.object(ordered, root, 1)
        return form.json.text
    }

    private init(areNamesFree: Bool, leftOut: @escaping (String, String) -> Void) {
        self.areNamesFree = areNamesFree
        self.leftOut = leftOut
    }

    /// By length, then by bytes: a dictionary has no order, and the same event must always give the same text.
    private static func inOrder(_ object: [String: Any]) -> [(String, Any)] {
        object.sorted { one, other in
            let (a, b) = (one.key.utf8, other.key.utf8)
            return a.count == b.count ? a.lexicographicallyPrecedes(b) : a.count < b.count
        }
    }

    private mutating func object(_ object: [(String, Any)], _ path: String, _ depth: Int) throws {
        json.raw("{")
        var isFirst = true
        for (name, member) in object {
            let at = "\(path).\(name)"
            guard areNamesFree || Rules.isName(name) else { throw BrokenRule(part: at) }
            let parts = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            let level = depth + parts.count - 1
            if let why = why(parts.contains { $0.isEmpty }, name, level) {
                leftOut(at, why)
                continue
            }
            let value = FreeFormValue(member)
            let reason = FreeForm.whyNot(value, level)
            try grow(value, isKept: reason == nil)
            if let why = reason {
                leftOut(at, why)
                continue
            }
            if !isFirst { json.raw(",") }
            isFirst = false
            json.string(name)
            json.raw(":")
            try write(value, member, at, level)
        }
        json.raw("}")
    }

    private mutating func why(_ hasEmptyPart: Bool, _ name: String, _ level: Int) -> String? {
        if hasEmptyPart || name.unicodeScalars.count > FreeForm.maxText { return "bad name" }
        if level > FreeForm.maxLevels { return "too many or too deep" }
        members += 1
        return members > FreeForm.maxMembers ? "too many or too deep" : nil
    }

    private mutating func grow(_ value: FreeFormValue, isKept: Bool) throws {
        bytes += 2
        if isKept, case .string(let text) = value { bytes += text.utf8.count }
        if bytes > Settings.maxMessageBytes { throw BrokenRule(part: "size") }
    }

    private mutating func write(_ value: FreeFormValue, _ given: Any, _ path: String, _ depth: Int) throws {
        switch value {
        case .null, .other: json.raw("null")
        case .bool(let bool): json.raw(bool ? "true" : "false")
        case .number(let number): json.number(number)
        case .string(let text): json.string(text)
        case .list(let items): try list(items, path, depth)
        case .members(let members):
            let ordered = (given as? OrderedMembers)?.members ?? FreeForm.inOrder(members)
            try object(ordered, path, depth + 1)
        }
    }

    private mutating func list(_ items: [Any], _ path: String, _ depth: Int) throws {
        json.raw("[")
        var isFirst = true
        for (at, item) in items.enumerated() {
            let value = FreeFormValue(item)
            let reason = FreeForm.whyNot(value, depth + 1)
            try grow(value, isKept: reason == nil)
            if let why = reason {
                leftOut("\(path)[\(at)]", why)
                continue
            }
            if !isFirst { json.raw(",") }
            isFirst = false
            try write(value, item, "\(path)[\(at)]", depth + 1)
        }
        json.raw("]")
    }

    /// Reason to leave a value out; nil for one that can be stored.
    private static func whyNot(_ value: FreeFormValue, _ depth: Int) -> String? {
        switch value {
        case .null, .bool: return nil
        case .number(let number): return abs(number) <= largestNumber ? nil : "bad value"
        case .string(let text): return text.unicodeScalars.count <= maxText ? nil : "bad value"
        case .list(let items): return depth >= maxLevels || items.count > maxItems ? "too many or too deep" : nil
        case .members: return depth >= maxLevels ? "too many or too deep" : nil
        case .other: return "bad value"
        }
    }
}

/// Members whose order is part of the text.
private struct OrderedMembers {
    let members: [(String, Any)]
}

/// Types that have a value in JSON. Found by their dynamic type: a cast to Bool would turn numbers of Objective-C into
/// Booleans.
private protocol JSONConvertible {
    var freeForm: FreeFormValue { get }
}

extension FreeFormValue {
    fileprivate var text: String? {
        if case .string(let text) = self { return text }
        return nil
    }

    init(_ value: Any) {
        switch value {
        case let known as any JSONConvertible: self = known.freeForm
        case let text as String: self = .string(text)
        case let list as [Any]: self = .list(list)
        case let members as [String: Any]: self = .members(members)
        default: self = .other
        }
    }
}

extension BinaryInteger where Self: JSONConvertible {
    /// A larger whole number could change as a `Double`.
    fileprivate var freeForm: FreeFormValue {
        guard let value = Int64(exactly: self), value.magnitude <= 1 << 53 else { return .other }
        return .number(Double(value))
    }
}

extension Int: JSONConvertible {}
extension Int8: JSONConvertible {}
extension Int16: JSONConvertible {}
extension Int32: JSONConvertible {}
extension Int64: JSONConvertible {}
extension UInt: JSONConvertible {}
extension UInt8: JSONConvertible {}
extension UInt16: JSONConvertible {}
extension UInt32: JSONConvertible {}
extension UInt64: JSONConvertible {}
extension Bool: JSONConvertible { fileprivate var freeForm: FreeFormValue { .bool(self) } }
extension Double: JSONConvertible { fileprivate var freeForm: FreeFormValue { .number(self) } }
extension Float: JSONConvertible { fileprivate var freeForm: FreeFormValue { .number(Double("\(self)") ?? Double(self)) } }
extension Decimal: JSONConvertible {
    fileprivate var freeForm: FreeFormValue { .number(NSDecimalNumber(decimal: self).doubleValue) }
}
extension String: JSONConvertible { fileprivate var freeForm: FreeFormValue { .string(self) } }
extension Substring: JSONConvertible { fileprivate var freeForm: FreeFormValue { .string(String(self)) } }
extension UUID: JSONConvertible { fileprivate var freeForm: FreeFormValue { .string(uuidString) } }
extension URL: JSONConvertible { fileprivate var freeForm: FreeFormValue { .string(absoluteString) } }
extension Date: JSONConvertible {
    fileprivate var freeForm: FreeFormValue { Timestamp.text(self).map { .string($0) } ?? .other }
}
extension CGFloat: JSONConvertible { fileprivate var freeForm: FreeFormValue { .number(Double(self)) } }
extension NSString: JSONConvertible { fileprivate var freeForm: FreeFormValue { .string(String(describing: self)) } }
extension NSDate: JSONConvertible {
    fileprivate var freeForm: FreeFormValue { Date(timeIntervalSince1970: timeIntervalSince1970).freeForm }
}
extension NSURL: JSONConvertible {
    fileprivate var freeForm: FreeFormValue { (absoluteString as String?).map { .string($0) } ?? .other }
}
extension NSUUID: JSONConvertible { fileprivate var freeForm: FreeFormValue { .string(uuidString) } }
extension NSArray: JSONConvertible { fileprivate var freeForm: FreeFormValue { .list(map { $0 }) } }
extension NSDictionary: JSONConvertible {
    fileprivate var freeForm: FreeFormValue {
        let members = compactMap { key, value in FreeFormValue(key).text.map { ($0, value) } }
        return members.count == count ? .members(Dictionary(members) { $1 }) : .other
    }
}
/// A set has no order, and the same event must always give the same text.
extension Set: JSONConvertible {
    fileprivate var freeForm: FreeFormValue { .list(sorted { "\($0)" < "\($1)" }) }
}
extension NSSet: JSONConvertible {
    fileprivate var freeForm: FreeFormValue { .list(map { $0 }.sorted { "\($0)" < "\($1)" }) }
}
extension NSNull: JSONConvertible { fileprivate var freeForm: FreeFormValue { .null } }
extension NSNumber: JSONConvertible {
    /// Booleans of Objective-C are numbers of the type `c`.
    fileprivate var freeForm: FreeFormValue {
        let type = String(cString: objCType)
        if type == "c" && (intValue == 0 || intValue == 1) { return .bool(boolValue) }
        if type == "d" || type == "f" { return .number(doubleValue) }
        // A larger whole number could change as a `Double`.
        return type == "Q" && uint64Value > UInt64(Int64.max) ? .other : int64Value.freeForm
    }
}
extension Optional: JSONConvertible {
    fileprivate var freeForm: FreeFormValue { map { FreeFormValue($0) } ?? .null }
}
extension Array: JSONConvertible { fileprivate var freeForm: FreeFormValue { .list(self) } }
extension Dictionary: JSONConvertible where Key == String {
    fileprivate var freeForm: FreeFormValue { .members(self) }
}
extension OrderedMembers: JSONConvertible {
    var freeForm: FreeFormValue { .members([:]) }
}
