/// An interaction of a user or of the system with a notification.
public struct NotificationInteraction: Sendable, Equatable {
    public enum Kind: String, Sendable {
        case delivered, clicked, closed, failed, opened

        /// Last part of the callback's path (docs/push.md, "Callbacks").
        var path: String {
            switch self {
            case .delivered, .failed: return rawValue
            case .clicked: return "click"
            case .closed: return "close"
            case .opened: return "open"
            }
        }
    }

    public let kind: Kind
    public let notification: PushNotification
    /// Place of the tapped button, from 1; nil for a tap on the body.
    public let button: Int?
    /// Why the notification could not be displayed.
    public let reason: String?

    public init(_ kind: Kind, _ notification: PushNotification, button: Int? = nil, reason: String? = nil) {
        self.kind = kind
        self.notification = notification
        self.button = button.flatMap { $0 > 0 ? $0 : nil }
        self.reason = reason
    }

    /// Id of the tapped button: `1`, `2` or `3`.
    public var actionId: String? { kind == .clicked ? button.map(String.init) : nil }

    /// Target of a tap, if it has one.
    public var url: String? {
        guard kind == .clicked else { return nil }
        guard let button else { return notification.action }
        return button <= notification.actions.count ? notification.actions[button - 1].action : nil
    }

    public var customData: [String: String] { notification.customData }

    var event: String { "bb_notification_\(kind.rawValue)" }

    var properties: [String: Any] {
        let members: [String: String?] = [
            "id": notification.id, "actionId": actionId, "url": url, "reason": kind == .failed ? reason : nil,
        ]
        return members.compactMapValues { $0 }
    }

    private static let maxTarget = 2_048

    /// - Parameter namesButton: true for the web, whose callback has the place of the button.
    func path(namesButton: Bool = false) -> String {
        var query = ["token=\(PercentEncoding.encode(notification.id))"]
        if let url, url.unicodeScalars.count <= NotificationInteraction.maxTarget {
            query.append("url=\(PercentEncoding.encode(url))")
        }
        if kind == .clicked && namesButton { query.append("button=\(button ?? 0)") }
        return "/api/tracker/general/\(kind.path)?\(query.joined(separator: "&"))"
    }
}
