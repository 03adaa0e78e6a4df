public struct PushAction: Sendable, Equatable {
    public let title: String
    /// URL or deep link that a tap on the button opens.
    public let action: String?
}

/// Notification described by a payload of the service (docs/push.md, "The payload"). Texts that the payload does not
/// give, or gives empty, are nil.
public struct PushNotification: Sendable, Equatable {
    /// Value of `source` in the service's payloads, as in sdks/contract/service-source-tag.json.
    public static let serviceSourceTag = "sluice-push"
    public static let maxActions = 3

    /// Tracking token, which is also the notification's identity.
    public let id: String
    public let title: String
    public let body: String?
    /// URL of a large image.
    public let image: String?
    /// Target of a tap on the body.
    public let action: String?
    public let actions: [PushAction]
    /// Data of the campaign for the app.
    public let customData: [String: String]
    /// For the web only.
    let icon: String?
    let badge: String?
    let requireInteraction: Bool

    /// Nil for a payload that is not from the service, which belongs to someone else.
    public init?(_ userInfo: [AnyHashable: Any]) {
        let named = userInfo.compactMap { name, value in (name as? String).map { (name: $0, value: JSON(value)) } }
        self.init(.object(named))
    }

    init?(_ data: JSON, maxActions: Int = PushNotification.maxActions) {
        let given = PushNotification.parsed(data)
        func text(_ name: String) -> String? { given?[name]?.text.flatMap { $0.isEmpty ? nil : $0 } }
        guard given?["source"]?.text == PushNotification.serviceSourceTag, let id = text("id") else { return nil }
        self.id = id
        title = text("title") ?? ""
        body = text("body")
        image = text("image")
        action = text("action")
        icon = text("icon")
        badge = text("badge")
        switch given?["requireInteraction"] {
        // Many platforms deliver all values of a data message as texts.
        case .bool(true), .string("true"): requireInteraction = true
        default: requireInteraction = false
        }
        let listed = PushNotification.parsed(given?["actions"])?.list ?? []
        actions = Array(listed.compactMap(PushNotification.action).prefix(maxActions))
        customData = PushNotification.texts(PushNotification.parsed(given?["customData"]))
    }

    /// Parses a text as JSON; returns another value as it is.
    private static func parsed(_ value: JSON?) -> JSON? {
        if case .string(let text) = value { return JSON(parsing: text) }
        return value
    }

    private static func action(_ given: JSON) -> PushAction? {
        guard let title = given["title"]?.text else { return nil }
        return PushAction(title: title, action: given["action"]?.text.flatMap { $0.isEmpty ? nil : $0 })
    }

    private static func texts(_ value: JSON?) -> [String: String] {
        guard case .object(let members) = value else { return [:] }
        return Dictionary(members.compactMap { member in member.value.text.map { (member.name, $0) } }) { $1 }
    }
}

extension JSON {
    /// The value of a payload; null for one that JSON does not have.
    init(_ value: Any, depth: Int = 0) {
        switch FreeFormValue(value) {
        case .null, .other: self = .null
        case .bool(let bool): self = .bool(bool)
        case .number(let number): self = .number(number)
        case .string(let text): self = .string(text)
        case .list(let items): self = .array(depth < 16 ? items.map { JSON($0, depth: depth + 1) } : [])
        case .members(let members):
            self = .object(depth < 16 ? members.map { (name: $0.key, value: JSON($0.value, depth: depth + 1)) } : [])
        }
    }
}
