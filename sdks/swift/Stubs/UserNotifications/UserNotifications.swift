// Declarations after Apple's documentation, without its code. Only what Sources/ uses. Requirements of protocols are
// optional on Apple's systems; here an extension has defaults.
import Foundation

public struct UNNotificationPresentationOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let sound = Self(rawValue: 1 << 1)
    public static let list = Self(rawValue: 1 << 3)
    public static let banner = Self(rawValue: 1 << 4)
}

public let UNNotificationDefaultActionIdentifier = "com.apple.UNNotificationDefaultActionIdentifier"
public let UNNotificationDismissActionIdentifier = "com.apple.UNNotificationDismissActionIdentifier"

open class UNNotificationSound: NSObject {
    nonisolated(unsafe) private static let one = UNNotificationSound()
    open class var `default`: UNNotificationSound { one }
}

open class UNNotificationAttachment: NSObject {
    public let identifier: String
    public let url: URL
    public init(identifier: String, url: URL, options: [AnyHashable: Any]?) throws {
        // The system reads the file.
        guard FileManager.default.fileExists(atPath: url.path) else { throw CocoaError(.fileNoSuchFile) }
        self.identifier = identifier
        self.url = url
    }
}

open class UNNotificationContent: NSObject {
    fileprivate var values = Values()
    fileprivate struct Values {
        var title = ""
        var body = ""
        var categoryIdentifier = ""
        var sound: UNNotificationSound?
        var attachments: [UNNotificationAttachment] = []
        var userInfo: [AnyHashable: Any] = [:]
    }
    open var title: String { values.title }
    open var body: String { values.body }
    open var categoryIdentifier: String { values.categoryIdentifier }
    open var sound: UNNotificationSound? { values.sound }
    open var attachments: [UNNotificationAttachment] { values.attachments }
    open var userInfo: [AnyHashable: Any] { values.userInfo }
    override open func mutableCopy() -> Any {
        let copy = UNMutableNotificationContent()
        copy.values = values
        return copy
    }
}

open class UNMutableNotificationContent: UNNotificationContent {
    override open var title: String { get { values.title } set { values.title = newValue } }
    override open var body: String { get { values.body } set { values.body = newValue } }
    override open var categoryIdentifier: String {
        get { values.categoryIdentifier }
        set { values.categoryIdentifier = newValue }
    }
    override open var sound: UNNotificationSound? { get { values.sound } set { values.sound = newValue } }
    override open var attachments: [UNNotificationAttachment] {
        get { values.attachments }
        set { values.attachments = newValue }
    }
    override open var userInfo: [AnyHashable: Any] { get { values.userInfo } set { values.userInfo = newValue } }
}

open class UNNotificationTrigger: NSObject {}

open class UNNotificationRequest: NSObject {
    public let identifier: String
    public let content: UNNotificationContent
    public init(identifier: String, content: UNNotificationContent, trigger: UNNotificationTrigger?) {
        self.identifier = identifier
        self.content = content
    }
}

open class UNNotification: NSObject {
    public let request: UNNotificationRequest
    public init(stub request: UNNotificationRequest) { self.request = request }
}

open class UNNotificationResponse: NSObject {
    public let notification: UNNotification
    public let actionIdentifier: String
    public init(stub notification: UNNotification, actionIdentifier: String) {
        self.notification = notification
        self.actionIdentifier = actionIdentifier
    }
}

public struct UNNotificationActionOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let foreground = Self(rawValue: 1 << 2)
}

open class UNNotificationAction: NSObject {
    public let identifier: String
    public let title: String
    public init(identifier: String, title: String, options: UNNotificationActionOptions = []) {
        self.identifier = identifier
        self.title = title
    }
}

public struct UNNotificationCategoryOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let customDismissAction = Self(rawValue: 1 << 0)
}

open class UNNotificationCategory: NSObject {
    public let identifier: String
    public let actions: [UNNotificationAction]
    public let options: UNNotificationCategoryOptions
    public init(
        identifier: String, actions: [UNNotificationAction], intentIdentifiers: [String],
        options: UNNotificationCategoryOptions = []
    ) {
        self.identifier = identifier
        self.actions = actions
        self.options = options
    }
}

open class UNUserNotificationCenter: NSObject, @unchecked Sendable {
    private static let one = UNUserNotificationCenter()
    private let lock = NSLock()
    private var categories: Set<UNNotificationCategory> = []
    private var added: [UNNotificationRequest] = []
    private var refusal: (any Error)?

    open class func current() -> UNUserNotificationCenter { one }
    open weak var delegate: (any UNUserNotificationCenterDelegate)?

    open func setNotificationCategories(_ categories: Set<UNNotificationCategory>) {
        lock.withLock { self.categories = categories }
    }
    open func getNotificationCategories(completionHandler: @escaping @Sendable (Set<UNNotificationCategory>) -> Void) {
        completionHandler(lock.withLock { categories })
    }
    open func add(
        _ request: UNNotificationRequest, withCompletionHandler completionHandler: (@Sendable ((any Error)?) -> Void)? = nil
    ) {
        let refusal = lock.withLock {
            if self.refusal == nil { added.append(request) }
            return self.refusal
        }
        completionHandler?(refusal)
    }

    public var stubAdded: [UNNotificationRequest] { lock.withLock { added } }
    public func stubRefuse(_ refusal: (any Error)?) { lock.withLock { self.refusal = refusal } }
}

public protocol UNUserNotificationCenterDelegate: NSObjectProtocol {
    func userNotificationCenter(
        _ center: UNUserNotificationCenter, willPresent notification: UNNotification,
        withCompletionHandler completionHandler: @escaping (UNNotificationPresentationOptions) -> Void)
    func userNotificationCenter(
        _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse,
        withCompletionHandler completionHandler: @escaping () -> Void)
    func userNotificationCenter(_ center: UNUserNotificationCenter, openSettingsFor notification: UNNotification?)
}

extension UNUserNotificationCenterDelegate {
    public func userNotificationCenter(
        _ center: UNUserNotificationCenter, willPresent notification: UNNotification,
        withCompletionHandler completionHandler: @escaping (UNNotificationPresentationOptions) -> Void
    ) { completionHandler([]) }
    public func userNotificationCenter(
        _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse,
        withCompletionHandler completionHandler: @escaping () -> Void
    ) { completionHandler() }
    public func userNotificationCenter(_ center: UNUserNotificationCenter, openSettingsFor notification: UNNotification?) {}
}

open class UNNotificationServiceExtension: NSObject {
    open func didReceive(
        _ request: UNNotificationRequest, withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
    ) {}
    open func serviceExtensionTimeWillExpire() {}
}
