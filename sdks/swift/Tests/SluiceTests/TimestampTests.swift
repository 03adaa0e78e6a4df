import XCTest
@testable import SluiceSDK

final class TimestampTests: XCTestCase {
    func testEveryDayOfTheServiceRangeIsTheGregorianOne() {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = TimeZone(secondsFromGMT: 0) ?? .current
        for day in stride(from: 0, to: 65_536, by: 1) {
            let date = Date(timeIntervalSince1970: Double(day) * 86_400)
            let parts = calendar.dateComponents([.year, .month, .day], from: date)
            let text = Timestamp.text(milliseconds: Double(day) * 86_400_000) ?? ""
            let known = text.prefix(10).split(separator: "-").compactMap { Int($0) }
            XCTAssertEqual(known, [parts.year ?? 0, parts.month ?? 0, parts.day ?? 0])
        }
    }

    func testOnlyTimesFrom1970ToTheEndOfDates() {
        XCTAssertEqual(Timestamp.text(milliseconds: 0), "1970-01-01T00:00:00.000Z")
        XCTAssertEqual(Timestamp.text(milliseconds: 5_662_310_399_999), "2149-06-06T23:59:59.999Z")
        XCTAssertNil(Timestamp.text(milliseconds: 5_662_310_400_000))
        XCTAssertNil(Timestamp.text(milliseconds: -1))
        XCTAssertNil(Timestamp.text(milliseconds: .nan))
    }

    func testDatesOfAnswers() {
        XCTAssertEqual(Timestamp.milliseconds(httpDate: "Wed, 21 Oct 2026 07:28:00 GMT"), 1_792_567_680_000)
        for text in ["", "soon", "Wed, 21 Foo 2026 07:28:00 GMT", "2026-10-21T07:28:00Z", "Wed, 21 Oct 2026 07:28 GMT"] {
            XCTAssertNil(Timestamp.milliseconds(httpDate: text), text)
        }
    }
}
