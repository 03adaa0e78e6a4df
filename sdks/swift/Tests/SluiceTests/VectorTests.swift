import XCTest
@testable import SluiceSDK

/// Every vector of the contract that applies to iOS.
final class VectorTests: XCTestCase {
    private static let files = ["batching", "crash", "envelope", "identity", "push", "retry", "split", "validation"]

    func testVectors() async throws {
        var count = 0
        for file in VectorTests.files {
            for vector in try Contract.vectors(file) {
                let platforms = vector["platform"]?.list?.compactMap(\.text)
                guard platforms?.contains("ios") ?? true else { continue }
                let name = "\(file): \(vector["name"]?.text ?? "")"
                do {
                    try await VectorRun(vector).run()
                } catch {
                    XCTFail("\(name): \(error)")
                }
                count += 1
            }
        }
        print("\(count) vectors")
        XCTAssertGreaterThanOrEqual(count, 195)
    }

    func testNoFileOfVectorsIsForgotten() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Contract.folder.appendingPathComponent("vectors").path)
        XCTAssertEqual(names.filter { $0.hasSuffix(".json") }.map { String($0.dropLast(5)) }.sorted(), VectorTests.files)
    }
}
