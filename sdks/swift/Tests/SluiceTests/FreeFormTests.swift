import Foundation
import XCTest
@testable import SluiceSDK

final class FreeFormTests: XCTestCase {
    private func text(_ object: [String: Any]) throws -> (json: String?, leftOut: Set<String>) {
        let leftOut = Guarded<Set<String>>([])
        let text = try FreeForm.text(object, root: "p") { path, _ in leftOut.with { _ = $0.insert(path) } }
        return (JSON(parsing: text)?.canonical, leftOut.with { $0 })
    }

    func testTypesOfFoundationAreThoseOfSwift() throws {
        let id = UUID()
        let result = try text([
            "float": CGFloat(1.5), "date": NSDate(timeIntervalSince1970: 0), "url": NSURL(string: "https://a.test/b")!,
            "id": NSUUID(uuidString: id.uuidString)!, "set": Set([3, 1, 2]), "set2": NSSet(array: ["b", "a"]),
            "text": NSString(string: "t"), "list": NSArray(array: [1, "x"]), "members": NSDictionary(dictionary: ["a": NSNumber(value: 2)]),
            "flag": NSNumber(value: true), "exact": NSNumber(value: 9_007_199_254_740_992 as Int64),
            "rounded": NSNumber(value: 9_007_199_254_740_993 as Int64), "half": NSNumber(value: 0.5),
        ])
        let expected = """
            {"float":1.5,"date":"1970-01-01T00:00:00.000Z","url":"https://a.test/b","id":"\(id.uuidString)","set":[1,2,3],\
            "set2":["a","b"],"text":"t","list":[1,"x"],"members":{"a":2},"flag":true,"exact":9007199254740992,"half":0.5}
            """
        XCTAssertEqual(result.json, JSON(parsing: expected)?.canonical)
        XCTAssertEqual(result.leftOut, ["p.rounded"])
    }

    func testListsOfListsLargerThanAMessageAreRefusedBeforeAllIsCopied() {
        var bomb: [Any] = [1]
        for _ in 0..<7 { bomb = [Any](repeating: bomb, count: 256) }
        let start = Date()
        XCTAssertThrowsError(try text(["a": bomb])) { XCTAssertEqual(($0 as? BrokenRule)?.part, "size") }
        XCTAssertThrowsError(try text(["a": [Any](repeating: String(repeating: "x", count: 4_000), count: 10)]))
        XCTAssertLessThan(Date().timeIntervalSince(start), 5)
    }
}
