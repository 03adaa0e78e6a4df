#if canImport(UserNotifications) && !os(tvOS)
import Foundation
import SluiceSDK
import UserNotifications

/// Base class of the app's notification service extension: adds image and buttons to notifications of the service.
/// Those of others pass unchanged; an extension for several services overrides `didReceive` and calls `super` for ours.
///
/// It reports nothing: on iOS a notification counts as delivered when the app displays it in the foreground.
open class NotificationService: UNNotificationServiceExtension {
    private struct Delivery {
        var content: Held<UNMutableNotificationContent>
        var handler: (UNNotificationContent) -> Void
        var stop: (@Sendable () -> Void)?
    }

    private let delivery = Held<Delivery?>(nil)

    override open func didReceive(
        _ request: UNNotificationRequest, withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
    ) {
        guard let push = PushNotification(request.content.userInfo),
            let copy = request.content.mutableCopy() as? UNMutableNotificationContent
        else { return contentHandler(request.content) }
        NotificationContent.fill(copy, push)
        let content = Held(copy)
        delivery.with { $0 = Delivery(content: content, handler: contentHandler) }
        let delivery = delivery
        NotificationContent.register(push) {
            let stop = NotificationContent.attachImage(of: push, to: content) { NotificationService.deliver(delivery) }
            delivery.with { $0?.stop = stop }
        }
    }

    /// Delivers without the image.
    override open func serviceExtensionTimeWillExpire() {
        delivery.with { $0?.stop }?()
        NotificationService.deliver(delivery)
    }

    private static func deliver(_ delivery: Held<Delivery?>) {
        let waiting = delivery.with { delivery -> Held<Delivery>? in
            defer { delivery = nil }
            return delivery.map { Held($0) }
        }
        waiting?.with { delivery in delivery.content.with { delivery.handler($0) } }
    }
}
#endif
