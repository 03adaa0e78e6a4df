#if canImport(UserNotifications)
import Foundation
import SluiceSDK
import UserNotifications

/// Turns payloads of the service into notifications of the system.
enum NotificationContent {
    /// Fills in what the payload gives. Texts that the push provider's alert already has are kept.
    static func fill(_ content: UNMutableNotificationContent, _ push: PushNotification) {
        if content.title.isEmpty { content.title = push.title }
        if content.body.isEmpty { content.body = push.body ?? "" }
        content.categoryIdentifier = category(push).identifier
    }

    /// Up to three buttons. The identifier of each is its place, which the interaction reports; dismissal is reported too.
    static func category(_ push: PushNotification) -> UNNotificationCategory {
        let actions = push.actions.enumerated().map { at, action in
            UNNotificationAction(identifier: String(at + 1), title: action.title, options: [.foreground])
        }
        let titles = push.actions.map { "\($0.title.utf8.count):\($0.title)" }.joined()
        return UNNotificationCategory(
            identifier: "sluice.\(titles)", actions: actions, intentIdentifiers: [], options: [.customDismissAction])
    }

    /// Categories of this launch. Two messages may be registered at once, so each registers the categories of both.
    private static let registered = Held<[String: UNNotificationCategory]>([:])

    /// Adds the category to those that the app has, because the system keeps only the set that it was given last.
    static func register(_ push: PushNotification, _ whenDone: @escaping @Sendable () -> Void) {
        registered.with {
            let category = category(push)
            $0[category.identifier] = category
        }
        UNUserNotificationCenter.current().getNotificationCategories { known in
            registered.with { ours in
                let names = Set(known.map(\.identifier))
                let missing = ours.values.filter { !names.contains($0.identifier) }
                if !missing.isEmpty { UNUserNotificationCenter.current().setNotificationCategories(known.union(missing)) }
            }
            whenDone()
        }
    }

    /// Attaches the image, if it can be loaded. Calls back in any case.
    static func attachImage(
        of push: PushNotification, to content: Held<UNMutableNotificationContent>,
        _ whenDone: @escaping @Sendable () -> Void
    ) -> (@Sendable () -> Void)? {
        guard let address = push.image, let url = TargetURL.url(address), let scheme = url.scheme?.lowercased(),
            ["http", "https"].contains(scheme)
        else {
            whenDone()
            return nil
        }
        return ImageDownload.start(url) { file in
            if let file, let attachment = try? UNNotificationAttachment(identifier: "image", url: file, options: nil) {
                content.with { $0.attachments = [attachment] }
            }
            whenDone()
        }
    }
}
#endif
