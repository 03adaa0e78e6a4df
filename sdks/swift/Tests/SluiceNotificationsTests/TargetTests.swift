import TestSupport
import UIKit
import UserNotifications
import XCTest

@testable import SluiceNotifications
@testable import SluiceSDK

/// Targets of taps: URLs of any script as iOS 14 reads them, own universal links, and what consent forbids to report.
final class TargetTests: XCTestCase {
    private let unencoded = [
        ("https://shop.ir/محصول/۱۲", "https://shop.ir/%D9%85%D8%AD%D8%B5%D9%88%D9%84/%DB%B1%DB%B2"),
        ("shop://cart?q=گوشی موبایل", "shop://cart?q=%DA%AF%D9%88%D8%B4%DB%8C%20%D9%85%D9%88%D8%A8%D8%A7%DB%8C%D9%84"),
        ("https://cdn.ir/a b.jpg", "https://cdn.ir/a%20b.jpg"),
        (" https://shop.ir/x\n", "https://shop.ir/x"),
        ("https://shop.ir/50%?a[0]=1|2#x#y", "https://shop.ir/50%25?a%5B0%5D=1%7C2#x%23y"),
        ("https://shop.ir/%D9%85?a=b%20c&d=e+f#g", "https://shop.ir/%D9%85?a=b%20c&d=e+f#g"),
        ("https://[::1]:8080/a", "https://[::1]:8080/a"),
        ("https://Bücher.example:8080/ü", "https://xn--bcher-kva.example:8080/%C3%BC"),
        ("https://مثال.إختبار/a", "https://xn--mgbh0fb.xn--kgbechtv/a"),
        ("https://例え.テスト", "https://xn--r8jz45g.xn--zckzah"),
        ("shop://محصول/1", "shop://%D9%85%D8%AD%D8%B5%D9%88%D9%84/1"),
        ("mailto:a@b.ir?subject=سلام", "mailto:a@b.ir?subject=%D8%B3%D9%84%D8%A7%D9%85"),
    ]

    func testUnencodedURLsAreThoseOfIOS17OnIOS14() throws {
        for (text, expected) in unencoded {
            XCTAssertEqual(TargetURL.encoded(text.trimmingCharacters(in: .whitespacesAndNewlines)), expected)
            XCTAssertEqual(TargetURL.url(text)?.absoluteString, expected)
            #if !canImport(Darwin)
            XCTAssertNotNil(URL(string: expected, encodingInvalidCharacters: false), "iOS 14 answers nil: \(expected)")
            #endif
        }
        XCTAssertNil(TargetURL.url("  "))
    }

    private static func tap(_ delegate: NotificationDelegate, _ target: String) {
        let content = UNMutableNotificationContent()
        content.userInfo = ["source": "sluice-push", "id": "t", "title": "Hello", "action": target]
        let request = UNNotificationRequest(identifier: "r", content: content, trigger: nil)
        let response = UNNotificationResponse(
            stub: UNNotification(stub: request), actionIdentifier: UNNotificationDefaultActionIdentifier)
        delegate.userNotificationCenter(.current(), didReceive: response) {}
    }

    @MainActor private static func settled(_ count: () -> Int, _ expected: Int) async throws {
        for _ in 0..<200 where count() < expected { try await Task.sleep(nanoseconds: 5_000_000) }
        try await Task.sleep(nanoseconds: 20_000_000)
        XCTAssertEqual(count(), expected)
    }

    func testAnOwnUniversalLinkGoesToTheAppAndOthersToTheSystem() async throws {
        try await TargetTests.universalLinks()
    }

    @MainActor private static func universalLinks() async throws {
        let app = UIApplication.shared
        let (phone, ends) = (TestPhone(), AppEnds())
        app.stubOpened = []
        app.delegate = ends
        defer { (app.delegate, app.connectedScenes, app.stubOpened) = (nil, [], []) }
        let delegate = NotificationDelegate(phone.client, appLinks: ["shop.ir", "*.shop.ir"])
        tap(delegate, "https://shop.ir/محصول")
        tap(delegate, "https://m.SHOP.ir/2")
        tap(delegate, "https://evil-shop.ir/3")
        tap(delegate, "shop://4")
        try await settled({ ends.seen.count + app.stubOpened.count }, 4)
        XCTAssertEqual(Set(ends.seen), ["app https://shop.ir/%D9%85%D8%AD%D8%B5%D9%88%D9%84", "app https://m.SHOP.ir/2"])
        XCTAssertEqual(Set(app.stubOpened.map(\.absoluteString)), ["https://evil-shop.ir/3", "shop://4"])

        let scene = UIScene()
        scene.delegate = ends
        app.connectedScenes = [scene]
        tap(delegate, "https://shop.ir/5")
        try await settled({ ends.seen.count }, 3)
        XCTAssertEqual(ends.seen.last, "scene https://shop.ir/5")

        // A link that the app does not take goes to the system.
        app.connectedScenes = []
        ends.takes = false
        app.stubOpened = []
        tap(delegate, "https://shop.ir/6")
        try await settled({ app.stubOpened.count }, 1)
    }

    func testWithoutConsentMessagesAreShownAndNothingIsReported() async throws {
        let phone = TestPhone()
        phone.client.consent(.denied)
        let payload: [AnyHashable: Any] = ["source": "sluice-push", "id": "t-denied", "title": "Hello"]
        let client = phone.client
        await withCheckedContinuation { done in
            XCTAssertTrue(Sluice.Notification.display(["source": "sluice-push", "id": "t-denied", "title": "Hello"], client) { done.resume() })
        }
        XCTAssertEqual(UNUserNotificationCenter.current().stubAdded.filter { $0.identifier == "t-denied" }.count, 1)
        let content = UNMutableNotificationContent()
        content.userInfo = payload
        let notification = UNNotification(stub: UNNotificationRequest(identifier: "r", content: content, trigger: nil))
        var shown: UNNotificationPresentationOptions?
        NotificationDelegate(phone.client).userNotificationCenter(.current(), willPresent: notification) { shown = $0 }
        XCTAssertEqual(shown, [.banner, .list, .sound])
        TargetTests.tap(NotificationDelegate(phone.client), "")
        UNUserNotificationCenter.current().stubRefuse(NSError(domain: "UNErrorDomain", code: 1))
        defer { UNUserNotificationCenter.current().stubRefuse(nil) }
        await withCheckedContinuation { done in
            XCTAssertTrue(Sluice.Notification.display(["source": "sluice-push", "id": "t-2", "title": "Hello"], client) { done.resume() })
        }
        _ = await phone.client.flush()
        XCTAssertEqual(phone.callbacks, [])
        XCTAssertEqual(phone.posts.count, 0)
    }

    func testADisabledClientLeavesTheMessageToTheApp() {
        let client = Sluice(Configuration(apiKey: "", sourceIdentifier: "s", apiHost: "h"))
        let payload: [AnyHashable: Any] = ["source": "sluice-push", "id": "t", "title": "Hello"]
        XCTAssertFalse(Sluice.Notification.display(payload, client) { XCTFail("the app ends its own time") })
    }
}

/// The delegates of an app.
@MainActor private final class AppEnds: NSObject, UIApplicationDelegate, UISceneDelegate {
    var seen: [String] = []
    var takes = true

    func application(
        _ application: UIApplication, continue userActivity: NSUserActivity,
        restorationHandler: @escaping ([any UIUserActivityRestoring]?) -> Void
    ) -> Bool {
        guard takes else { return false }
        seen.append("app \(userActivity.webpageURL?.absoluteString ?? "")")
        return true
    }

    func scene(_ scene: UIScene, continue userActivity: NSUserActivity) {
        seen.append("scene \(userActivity.webpageURL?.absoluteString ?? "")")
    }
}
