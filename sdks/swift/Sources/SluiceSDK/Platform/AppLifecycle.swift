import Foundation

/// Observes the notifications by which the system signals that an app or extension may be suspended, or continues.
/// Their names are written out, because only Foundation is imported; AppleTests compares them with those of UIKit.
final class AppLifecycle: Sendable {
    static let hides = [
        "UIApplicationDidEnterBackgroundNotification", "UIApplicationWillTerminateNotification",
        "NSExtensionHostDidEnterBackgroundNotification", "NSApplicationWillTerminateNotification",
    ]
    static let shows = [
        "UIApplicationWillEnterForegroundNotification", "NSExtensionHostWillEnterForegroundNotification",
        "UIApplicationProtectedDataDidBecomeAvailable",
    ]

    private let tokens = Guarded<[any NSObjectProtocol]>([])

    func observe(_ parts: Parts) {
        let center = NotificationCenter.default
        let added = AppLifecycle.hides.map { name in
            center.addObserver(forName: .init(name), object: nil, queue: nil) { [weak parts] _ in
                guard let parts else { return }
                parts.ports.inBackground("sluice sends") { parts.hide($0) }
            }
        } + AppLifecycle.shows.map { name in
            center.addObserver(forName: .init(name), object: nil, queue: nil) { [weak parts] _ in parts?.show() }
        }
        tokens.with { $0 = added }
    }

    func stop() {
        let observed = tokens.with { tokens in
            defer { tokens = [] }
            return tokens
        }
        for token in observed { NotificationCenter.default.removeObserver(token) }
    }
}
