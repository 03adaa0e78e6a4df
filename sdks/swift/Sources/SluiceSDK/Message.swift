/// A message as plugins see it. The SDK adds `context.sdk` afterwards.
public struct Message {
    public enum Kind: String, Sendable {
        case identify, track
    }

    public let kind: Kind
    public var userId: String?
    public var anonymousId: String?
    public var event: String?
    public var properties: [String: Any]?
    public var traits: [String: Any]?
    public var context: [String: Any]
    /// ISO 8601 time; the time of arrival if left out.
    public var timestamp: String?
}

/// Identifies a message in its stream and counts the messages that the device has given up.
struct Stamp {
    let name: String
    let version: String
    let device: String
    let stream: String
    let seq: Int
    let lost: Int

    var members: [(String, Any)] {
        [("name", name), ("version", version), ("device", device), ("stream", stream), ("seq", seq), ("lost", lost)]
    }
}

extension Message {
    /// Makes the text that is stored and sent. It never changes afterwards.
    /// - Throws: `BrokenRule` if the service would refuse it.
    func text(_ stamp: Stamp, leftOut: @escaping (_ path: String, _ why: String) -> Void) throws -> String {
        for id in [userId, anonymousId].compactMap({ $0 }) where !Rules.isPersonId(id) {
            throw BrokenRule(part: "userId or anonymousId")
        }
        var json = JSONText()
        json.raw("{")
        func member(_ name: String, _ write: (inout JSONText) throws -> Void) rethrows {
            if json.text.utf8.count > 1 { json.raw(",") }
            json.string(name)
            json.raw(":")
            try write(&json)
        }
        if let userId { member("userId") { $0.string(userId) } }
        if let anonymousId { member("anonymousId") { $0.string(anonymousId) } }
        if kind == .track {
            guard let event, Rules.isEventName(event) else { throw BrokenRule(part: "event") }
            member("event") { $0.string(event) }
        }
        let (name, free) = kind == .track ? ("properties", properties) : ("traits", traits)
        if let free { try member(name) { $0.raw(try FreeForm.text(free, root: name, leftOut: leftOut)) } }
        let sdk = ("sdk", stamp.members)
        try member("context") {
            $0.raw(try FreeForm.text(context, root: "context", areNamesFree: true, first: sdk, leftOut: leftOut))
        }
        if let timestamp { member("timestamp") { $0.string(timestamp) } }
        json.raw("}")
        guard json.text.utf8.count <= Settings.maxMessageBytes else { throw BrokenRule(part: "size") }
        return json.text
    }
}
