// Declarations after Apple's documentation, without its code. Only what Sources/ uses.
import Foundation

@MainActor open class UIApplication: NSObject {
    public static let shared = UIApplication()
    public var stubOpened: [URL] = []
    public weak var delegate: (any UIApplicationDelegate)?
    public var connectedScenes: Set<UIScene> = []
    public func open(
        _ url: URL, options: [String: Any] = [:], completionHandler: (@MainActor @Sendable (Bool) -> Void)? = nil
    ) {
        stubOpened.append(url)
        completionHandler?(true)
    }
}

@MainActor public protocol UIApplicationDelegate: NSObjectProtocol {
    func application(
        _ application: UIApplication, continue userActivity: NSUserActivity,
        restorationHandler: @escaping ([any UIUserActivityRestoring]?) -> Void
    ) -> Bool
}

public protocol UIUserActivityRestoring: NSObjectProtocol {}

@MainActor open class UIScene: NSObject {
    public enum ActivationState: Int, Sendable {
        case unattached = -1, foregroundActive, foregroundInactive, background
    }
    public var activationState = ActivationState.foregroundActive
    public weak var delegate: (any UISceneDelegate)?
}

@MainActor public protocol UISceneDelegate: NSObjectProtocol {
    func scene(_ scene: UIScene, continue userActivity: NSUserActivity)
}

// Part of Foundation on Apple's systems.
open class NSUserActivity: NSObject {
    public let activityType: String
    public var webpageURL: URL?
    public init(activityType: String) { self.activityType = activityType }
}

public let NSUserActivityTypeBrowsingWeb = "NSUserActivityTypeBrowsingWeb"
