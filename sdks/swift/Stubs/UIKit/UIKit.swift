// Shapes from Apple's documentation, nothing of its code. Only what Sources/ uses.
import Foundation

@MainActor open class UIApplication: NSObject {
    public static let shared = UIApplication()
    public var stubOpened: [URL] = []
    public func open(
        _ url: URL, options: [String: Any] = [:], completionHandler: (@MainActor @Sendable (Bool) -> Void)? = nil
    ) {
        stubOpened.append(url)
        completionHandler?(true)
    }
}
