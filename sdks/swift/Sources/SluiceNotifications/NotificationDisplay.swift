#if canImport(UserNotifications) && !os(tvOS)
import Foundation
import SluiceSDK
import UserNotifications

extension Sluice.Notification {
    /// Displays a data-only message of the service. Call it in `application(_:didReceiveRemoteNotification:)`, and end the
    /// background time in `whenDone`. Returns false for a message of others, which stays untouched, and if the client is
    /// disabled. Without consent it displays, and reports nothing.
    ///
    /// A message that cannot be displayed is reported as failed. A displayed one is reported as delivered by
    /// `NotificationDelegate`, when the app is in the foreground.
    @discardableResult
    public static func display(
        _ userInfo: [AnyHashable: Any], _ client: Sluice, _ whenDone: @escaping @Sendable () -> Void = {}
    ) -> Bool {
        guard let push = PushNotification(userInfo), !client.isDisabled else { return false }
        let newContent = UNMutableNotificationContent()
        newContent.userInfo = userInfo
        newContent.sound = .default
        NotificationContent.fill(newContent, push)
        let content = Held(newContent)
        NotificationContent.register(push) {
            _ = NotificationContent.attachImage(of: push, to: content) {
                let request = content.with { UNNotificationRequest(identifier: push.id, content: $0, trigger: nil) }
                UNUserNotificationCenter.current().add(request) { failure in
                    if let failure { client.report(NotificationInteraction(.failed, push, reason: reason(failure))) }
                    whenDone()
                }
            }
        }
        return true
    }

    /// Domain and number of an error: its text is in the user's language.
    private static func reason(_ failure: any Error) -> String {
        let failure = failure as NSError
        return "\(failure.domain) \(failure.code)"
    }
}
#endif
