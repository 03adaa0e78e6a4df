#if SLUICE_STUBS
import ExpiringActivity
#endif
import UIKit
import UserNotifications
import TestSupport
import XCTest

@testable import SluiceSDK
@testable import SluiceNotifications

/// Each row of docs/push.md (the payload, events) that iOS has, on stand-ins for Apple's types (Stubs/).
final class NotificationTests: XCTestCase {
    private let payload: [AnyHashable: Any] = [
        "source": "sluice-push", "id": "token-1", "title": "Hello", "body": "World", "image": "https://i.test/1.png",
        "action": "shop://main",
        "actions": "[{\"title\":\"One\",\"action\":\"https://shop.test/1\"},{\"title\":\"Two\",\"action\":\"shop://two?a=b&c\"},{\"title\":\"Three\"},{\"title\":\"Four\"}]",
        "customData": "{\"coupon\":\"SPRING\",\"n\":5}",
    ]
    private var phone = TestPhone()

    override func setUp() { phone = TestPhone() }

    private func notification(_ userInfo: [AnyHashable: Any]) -> UNNotification {
        let content = UNMutableNotificationContent()
        content.userInfo = userInfo
        return UNNotification(stub: UNNotificationRequest(identifier: "r", content: content, trigger: nil))
    }

    private func respond(_ delegate: NotificationDelegate, _ action: String, _ userInfo: [AnyHashable: Any]) {
        let response = UNNotificationResponse(stub: notification(userInfo), actionIdentifier: action)
        var isDone = false
        delegate.userNotificationCenter(.current(), didReceive: response) { isDone = true }
        XCTAssertTrue(isDone)
    }

    private func present(_ delegate: NotificationDelegate, _ userInfo: [AnyHashable: Any]) -> UNNotificationPresentationOptions? {
        var given: UNNotificationPresentationOptions?
        delegate.userNotificationCenter(.current(), willPresent: notification(userInfo)) { given = $0 }
        return given
    }

    // MARK: The payload

    func testEveryKeyOfThePayloadIsRead() throws {
        let push = try XCTUnwrap(PushNotification(payload))
        XCTAssertEqual(push.id, "token-1")
        XCTAssertEqual(push.title, "Hello")
        XCTAssertEqual(push.body, "World")
        XCTAssertEqual(push.image, "https://i.test/1.png")
        XCTAssertEqual(push.action, "shop://main")
        XCTAssertEqual(push.actions.map(\.title), ["One", "Two", "Three"])
        XCTAssertEqual(push.actions.map(\.action), ["https://shop.test/1", "shop://two?a=b&c", nil])
        XCTAssertEqual(push.customData, ["coupon": "SPRING"])
    }

    func testAPayloadWithObjectsInsteadOfTextsIsTheSame() throws {
        var objects = payload
        objects["actions"] = [["title": "One", "action": "https://shop.test/1"]]
        objects["customData"] = ["coupon": "SPRING"]
        let push = try XCTUnwrap(PushNotification(objects))
        XCTAssertEqual(push.actions, [PushAction(title: "One", action: "https://shop.test/1")])
        XCTAssertEqual(push.customData, ["coupon": "SPRING"])
    }

    func testAnotherSourceIsUntouched() async throws {
        for foreign in [["source": "other", "id": "x"], ["id": "x"], ["source": "sluice-push"], ["source": "sluice-push", "id": ""]] {
            let next = NextDelegate()
            let delegate = NotificationDelegate(phone.client, next: next) { _ in XCTFail("not ours") }
            XCTAssertEqual(present(delegate, foreign), .sound)
            respond(delegate, UNNotificationDefaultActionIdentifier, foreign)
            delegate.userNotificationCenter(.current(), openSettingsFor: nil)
            XCTAssertEqual(next.seen, ["willPresent", "didReceive", "openSettings"])
            XCTAssertFalse(Sluice.Notification.display(foreign, phone.client))
            let alone = NotificationDelegate(phone.client)
            XCTAssertEqual(present(alone, foreign), [])
            respond(alone, UNNotificationDefaultActionIdentifier, foreign)
            let service = NotificationService()
            let content = notification(foreign).request
            var handed: UNNotificationContent?
            service.didReceive(content) { handed = $0 }
            XCTAssertTrue(handed === content.content)
        }
        let rows = try await phone.events()
        XCTAssertEqual(rows.count, 0)
        XCTAssertEqual(phone.callbacks, [])
    }

    // MARK: Events

    func testRegistered() async throws {
        phone.client.setDeviceToken(Data([0x00, 0xAB, 0x0F]))
        Sluice.Notification.refreshToken("another", phone.client)
        XCTAssertFalse(phone.client.setDeviceToken(" "))
        let events = try await phone.events()
        XCTAssertEqual(events.map { $0["event"]?.text }, Array(repeating: "bb_notification_registered", count: 2))
        let expected = ["00ab0f", "another"].map { key in
            JSON.object([
                (name: "key", value: .string(key)), (name: "sdk", value: .string("IOS")),
                (name: "device_id", value: .string(phone.client.deviceId ?? "")),
                (name: "package_name", value: .string("tech.sluice.test")),
            ])
        }
        XCTAssertEqual(events.compactMap { $0["properties"].map(members) }, expected.map(members))
    }

    func testDeliveredIsForegroundPresentationOnly() async throws {
        let delegate = NotificationDelegate(phone.client)
        XCTAssertEqual(present(delegate, payload), [.banner, .list, .sound])
        let silent = NotificationDelegate(phone.client, presentation: [])
        XCTAssertEqual(present(silent, payload), [])
        let events = try await phone.events()
        XCTAssertEqual(events.map { $0["event"]?.text }, ["bb_notification_delivered"])
        XCTAssertEqual(events.map { members($0["properties"]) }, [["id": "token-1"]])
        XCTAssertEqual(phone.callbacks, ["/api/tracker/general/delivered?token=token-1"])
    }

    func testClickedOnTheBodyAndOnButtons() async throws {
        await MainActor.run { UIApplication.shared.stubOpened = [] }
        let seen = Guarded<[NotificationInteraction]>([])
        let delegate = NotificationDelegate(phone.client) { interaction in seen.with { $0.append(interaction) } }
        for action in [UNNotificationDefaultActionIdentifier, "1", "2", "3"] { respond(delegate, action, payload) }
        let events = try await phone.events()
        XCTAssertEqual(events.map { $0["event"]?.text }, Array(repeating: "bb_notification_clicked", count: 4))
        XCTAssertEqual(events.map { members($0["properties"]) }, [
            ["id": "token-1", "url": "shop://main"],
            ["id": "token-1", "url": "https://shop.test/1", "actionId": "1"],
            ["id": "token-1", "url": "shop://two?a=b&c", "actionId": "2"],
            ["id": "token-1", "actionId": "3"],
        ])
        XCTAssertEqual(Set(phone.callbacks), [
            "/api/tracker/general/click?token=token-1&url=shop%3A%2F%2Fmain",
            "/api/tracker/general/click?token=token-1&url=https%3A%2F%2Fshop.test%2F1",
            "/api/tracker/general/click?token=token-1&url=shop%3A%2F%2Ftwo%3Fa%3Db%26c",
            "/api/tracker/general/click?token=token-1",
        ])
        XCTAssertEqual(seen.with { $0.map(\.customData) }, Array(repeating: ["coupon": "SPRING"], count: 4))
        XCTAssertEqual(seen.with { $0.map(\.actionId) }, [nil, "1", "2", "3"])
        var opened: [String] = []
        for _ in 0..<100 where opened.count < 3 {
            try await Task.sleep(nanoseconds: 10_000_000)
            opened = await MainActor.run { UIApplication.shared.stubOpened.map(\.absoluteString) }
        }
        XCTAssertEqual(Set(opened), ["shop://main", "https://shop.test/1", "shop://two?a=b&c"])
    }

    func testClosed() async throws {
        respond(NotificationDelegate(phone.client), UNNotificationDismissActionIdentifier, payload)
        let events = try await phone.events()
        XCTAssertEqual(events.map { $0["event"]?.text }, ["bb_notification_closed"])
        XCTAssertEqual(events.map { members($0["properties"]) }, [["id": "token-1"]])
        XCTAssertEqual(phone.callbacks, ["/api/tracker/general/close?token=token-1"])
    }

    func testWhatCannotBeDisplayedFailed() async throws {
        UNUserNotificationCenter.current().stubRefuse(NSError(domain: "UNErrorDomain", code: 1))
        defer { UNUserNotificationCenter.current().stubRefuse(nil) }
        await displayed(["source": "sluice-push", "id": "token-1", "title": "Hello"])
        let events = try await phone.events()
        XCTAssertEqual(events.map { $0["event"]?.text }, ["bb_notification_failed"])
        XCTAssertEqual(events.map { members($0["properties"]) }, [["id": "token-1", "reason": "UNErrorDomain 1"]])
        XCTAssertEqual(phone.callbacks, ["/api/tracker/general/failed?token=token-1"])
    }

    private func displayed(_ userInfo: [String: String]) async {
        let client = phone.client
        await withCheckedContinuation { done in
            XCTAssertTrue(Sluice.Notification.display(userInfo, client) { done.resume() })
        }
    }

    func testADataMessageBecomesANotificationWithButtonsAndKeepsTheAppsCategories() async throws {
        let center = UNUserNotificationCenter.current()
        center.setNotificationCategories([UNNotificationCategory(identifier: "app", actions: [], intentIdentifiers: [])])
        var texts = payload as? [String: String] ?? [:]
        texts["image"] = nil
        texts["id"] = "token-display"
        await displayed(texts)
        let request = try XCTUnwrap(center.stubAdded.last)
        XCTAssertEqual(request.identifier, "token-display")
        XCTAssertEqual([request.content.title, request.content.body], ["Hello", "World"])
        let known = await withCheckedContinuation { done in
            center.getNotificationCategories { known in
                done.resume(returning: known.map { ($0.identifier, $0.actions.map { "\($0.identifier) \($0.title)" }, $0.options) })
            }
        }
        XCTAssertEqual(Set(known.map(\.0)), ["app", request.content.categoryIdentifier])
        let ours = try XCTUnwrap(known.first { $0.0 != "app" })
        XCTAssertEqual(ours.1, ["1 One", "2 Two", "3 Three"])
        XCTAssertEqual(ours.2, .customDismissAction, "the system reports dismissals only then")
        let events = try await phone.events()
        XCTAssertEqual(events.count, 0, "delivered is reported by foreground presentation")
    }

    // MARK: Event first, background time, images

    func testTheEventIsStoredBeforeTheCallbackAndOutlivesAnOutage() async throws {
        let offline = TestPhone(host: "http://127.0.0.1:1")
        let delegate = NotificationDelegate(offline.client)
        respond(delegate, UNNotificationDefaultActionIdentifier, payload)
        XCTAssertEqual(try offline.storedEvents(), ["bb_notification_clicked"])
    }

    func testTimeIsAskedForAndGivenBack() async throws {
        let before = StubActivities.reasons.count
        respond(NotificationDelegate(phone.client), UNNotificationDismissActionIdentifier, payload)
        XCTAssertEqual(StubActivities.reasons.count, before + 1)
        NotificationCenter.default.post(name: .init("UIApplicationDidEnterBackgroundNotification"), object: nil)
        try await phone.until { self.phone.posts.count == 1 && StubActivities.held("sluice sends") == 0 }
        XCTAssertEqual(phone.callbacks.count, 1)
    }

    func testWorkIsDoneWithoutGrantedTime() async throws {
        StubActivities.isGranting = false
        defer { StubActivities.isGranting = true }
        phone.client.track("a")
        NotificationCenter.default.post(name: .init("UIApplicationDidEnterBackgroundNotification"), object: nil)
        try await phone.until { self.phone.posts.count == 1 && StubActivities.held("sluice sends") == 0 }
    }

    func testTheServiceExtensionAddsTheImage() async throws {
        let images = try LocalServer("HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: 3\r\nConnection: close\r\n\r\npng")
        let content = try await served(image: "\(images.url)/1.png")
        XCTAssertEqual(content.attachments, ["png"])
        XCTAssertEqual(content.title, "Hello")
    }

    func testTheTypeOfAnImageIsThatOfItsNameIfTheServerSaysNone() async throws {
        for type in ["Content-Type: application/octet-stream\r\n", "", "Content-Type: binary/octet-stream\r\n"] {
            let store = try LocalServer("HTTP/1.1 200 OK\r\n\(type)Content-Length: 3\r\nConnection: close\r\n\r\npng")
            for (name, attachments) in [("1.PNG?v=2", ["png"]), ("1.jpeg", ["png"]), ("1.html", []), ("1", [])] {
                let content = try await served(image: "\(store.url)/\(name)")
                XCTAssertEqual(content.attachments, attachments, "\(type) \(name)")
            }
        }
    }

    func testWithoutAnImageTheNotificationIsServedAnyway() async throws {
        let missing = try LocalServer("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        let page = try LocalServer("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 3\r\nConnection: close\r\n\r\npng")
        for image in ["\(missing.url)/1.png", "\(page.url)/1.png", "http://127.0.0.1:1/1.png", "file:///etc/passwd", "", "not a url"] {
            let content = try await served(image: image)
            XCTAssertEqual(content.attachments, [], image)
            XCTAssertEqual(content.title, "Hello")
        }
    }

    func testWhenTimeIsUpTheNotificationIsServedOnceWithoutItsImage() throws {
        let service = NotificationService()
        let count = Guarded(0)
        var userInfo = payload
        userInfo["image"] = "http://127.0.0.1:9/slow.png"
        service.didReceive(notification(userInfo).request) { _ in count.with { $0 += 1 } }
        service.serviceExtensionTimeWillExpire()
        service.serviceExtensionTimeWillExpire()
        XCTAssertEqual(count.with { $0 }, 1)
    }

    func testAnImageIsLoadedWithoutCookies() async throws {
        let picture = "Content-Type: image/png\r\nContent-Length: 3\r\nConnection: close\r\n\r\npng"
        let store = try LocalServer("HTTP/1.1 200 OK\r\n\(picture)")
        let first = try LocalServer(
            "HTTP/1.1 302 Found\r\nLocation: \(store.url)/1.png\r\nSet-Cookie: image=1; Path=/\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        let content = try await served(image: "\(first.url)/1.png")
        XCTAssertEqual(content.attachments, ["png"])
        XCTAssertEqual((first.requests + store.requests).filter { $0.lowercased().contains("cookie:") }, [])
        XCTAssertEqual(store.requests.count, 1)
    }

    private func served(image: String) async throws -> (title: String, attachments: [String]) {
        let service = NotificationService()
        var userInfo = payload
        userInfo["image"] = image
        let request = notification(userInfo).request
        return await withCheckedContinuation { done in
            service.didReceive(request) { content in
                let attached = content.attachments.map { (try? String(contentsOf: $0.url, encoding: .utf8)) ?? "" }
                done.resume(returning: (content.title, attached))
            }
        }
    }

    private func members(_ object: JSON?) -> [String: String] {
        guard case .object(let members) = object else { return [:] }
        return Dictionary(members.map { ($0.name, $0.value.text ?? "") }) { $1 }
    }
}

final class NextDelegate: NSObject, UNUserNotificationCenterDelegate {
    var seen: [String] = []

    func userNotificationCenter(
        _ center: UNUserNotificationCenter, willPresent notification: UNNotification,
        withCompletionHandler completionHandler: @escaping (UNNotificationPresentationOptions) -> Void
    ) {
        seen.append("willPresent")
        completionHandler(.sound)
    }

    func userNotificationCenter(
        _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse,
        withCompletionHandler completionHandler: @escaping () -> Void
    ) {
        seen.append("didReceive")
        completionHandler()
    }

    func userNotificationCenter(_ center: UNUserNotificationCenter, openSettingsFor notification: UNNotification?) {
        seen.append("openSettings")
    }
}
