#if canImport(UserNotifications)
import Foundation
import SluiceSDK
import UserNotifications

/// Reports what becomes of notifications of the service. Set it as the delegate of the notification centre before the app
/// has launched, and keep it. Notifications of others go to `next` unchanged.
@available(iOSApplicationExtension, unavailable)
public final class NotificationDelegate: NSObject, UNUserNotificationCenterDelegate {
    private let client: Sluice
    private let presentation: UNNotificationPresentationOptions
    private let opensTargets: Bool
    private let appLinks: [String]
    private let onInteraction: (@Sendable (NotificationInteraction) -> Void)?
    private weak var next: (any UNUserNotificationCenterDelegate)?

    /// - Parameters:
    ///   - presentation: how a notification appears while the app is in the foreground; empty for not at all.
    ///   - opensTargets: false if `onInteraction` opens targets itself.
    ///   - appLinks: domains of the app's own universal links, as in its entitlement but without `applinks:`. A target
    ///     of one goes to the scene's or app's delegate as a continued activity, and no browser opens.
    ///   - next: gets all notifications that are not of the service; held weakly, like a delegate.
    public init(
        _ client: Sluice, presentation: UNNotificationPresentationOptions = [.banner, .list, .sound],
        opensTargets: Bool = true, appLinks: [String] = [], next: (any UNUserNotificationCenterDelegate)? = nil,
        onInteraction: (@Sendable (NotificationInteraction) -> Void)? = nil
    ) {
        self.client = client
        self.presentation = presentation
        self.opensTargets = opensTargets
        self.appLinks = appLinks.map { $0.lowercased() }
        self.next = next
        self.onInteraction = onInteraction
    }

    public func userNotificationCenter(
        _ center: UNUserNotificationCenter, willPresent notification: UNNotification,
        withCompletionHandler completionHandler: @escaping (UNNotificationPresentationOptions) -> Void
    ) {
        guard let push = PushNotification(notification.request.content.userInfo) else {
            let forward = next?.userNotificationCenter(_:willPresent:withCompletionHandler:)
            if let forward { forward(center, notification, completionHandler) } else { completionHandler([]) }
            return
        }
        completionHandler(presentation)
        // Only a displayed notification counts as delivered.
        guard !presentation.isDisjoint(with: [.banner, .list]) else { return }
        publish(NotificationInteraction(.delivered, push))
    }

    public func userNotificationCenter(
        _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse,
        withCompletionHandler completionHandler: @escaping () -> Void
    ) {
        guard let push = PushNotification(response.notification.request.content.userInfo) else {
            let forward = next?.userNotificationCenter(_:didReceive:withCompletionHandler:)
            if let forward { forward(center, response, completionHandler) } else { completionHandler() }
            return
        }
        let interaction = NotificationDelegate.interaction(response.actionIdentifier, push)
        publish(interaction)
        if opensTargets, let url = interaction.url.flatMap(TargetURL.url) { open(url) }
        completionHandler()
    }

    /// The system asks for the app's own settings of notifications, which only `next` knows.
    public func userNotificationCenter(_ center: UNUserNotificationCenter, openSettingsFor notification: UNNotification?) {
        let forward = next?.userNotificationCenter(_:openSettingsFor:)
        forward?(center, notification)
    }

    static func interaction(_ action: String, _ push: PushNotification) -> NotificationInteraction {
        switch action {
        case UNNotificationDismissActionIdentifier: return NotificationInteraction(.closed, push)
        case UNNotificationDefaultActionIdentifier: return NotificationInteraction(.clicked, push)
        default: return NotificationInteraction(.clicked, push, button: Int(action))
        }
    }

    private func publish(_ interaction: NotificationInteraction) {
        client.report(interaction)
        onInteraction?(interaction)
    }

    private func open(_ url: URL) {
        #if os(iOS) || SLUICE_STUBS
        let isOwn = isAppLink(url)
        Task { @MainActor in TargetOpener.open(url, isOwn: isOwn) }
        #endif
    }

    private func isAppLink(_ url: URL) -> Bool {
        guard ["http", "https"].contains(url.scheme?.lowercased() ?? ""), let host = url.host?.lowercased() else { return false }
        return appLinks.contains { $0 == host || ($0.hasPrefix("*.") && host.hasSuffix($0.dropFirst())) }
    }
}
#endif
