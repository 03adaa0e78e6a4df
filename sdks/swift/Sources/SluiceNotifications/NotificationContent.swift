#if canImport(UserNotifications)
import Foundation
import Sluice
import UserNotifications

/// How a payload of the service becomes a notification of the system.
enum NotificationContent {
    /// Fills in what the payload gives. Texts that the push provider's alert has already stay.
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

    /// Adds the category to those that the app has, because the system keeps only the set that it was given last.
    static func register(_ push: PushNotification, _ whenDone: @escaping @Sendable () -> Void) {
        UNUserNotificationCenter.current().getNotificationCategories { known in
            let category = category(push)
            if !known.contains(where: { $0.identifier == category.identifier }) {
                UNUserNotificationCenter.current().setNotificationCategories(known.union([category]))
            }
            whenDone()
        }
    }

    /// Attaches the image, if it can be loaded. Calls back in any case.
    static func attachImage(
        of push: PushNotification, to content: Guarded<UNMutableNotificationContent>,
        _ whenDone: @escaping @Sendable () -> Void
    ) -> (@Sendable () -> Void)? {
        guard let address = push.image, let url = URL(string: address), let scheme = url.scheme?.lowercased(),
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
