#if canImport(Glibc)
import Glibc
#endif
import XCTest
@testable import SluiceSDK

final class QueueFolderTests: XCTestCase {
    private var path = ""
    private var queue: QueueFolder { QueueFolder(path: path, room: {}) }

    override func setUpWithError() throws {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("queue-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    override func tearDownWithError() throws { try FileManager.default.removeItem(atPath: path) }

    private func origin(_ key: String) -> Origin {
        Origin(key: key, host: "https://sluice.test", sourceIdentifier: "Source000001", kind: .track, created: 1)
    }

    private func message(_ n: Int) -> String { "{\"event\":\"e\(n)\"}" }

    func testAnOwnerCannotAppendToABatchThatAnotherSealed() throws {
        let writer = try XCTUnwrap(try queue.begin(origin("k"), message(0)))
        XCTAssertTrue(try writer.append(message(1)))
        XCTAssertEqual(try queue.seal("k"), 2)
        XCTAssertFalse(try writer.append(message(2)))
        XCTAssertEqual(try queue.read("k"), [message(0), message(1)])
        try queue.remove("k", count: 2)
        XCTAssertFalse(try writer.append(message(2)))
        XCTAssertNil(try queue.read("k"))
    }

    func testTwoClientsCannotBeginTheSameBatch() throws {
        XCTAssertNotNil(try queue.begin(origin("k"), message(0)))
        XCTAssertNil(try queue.begin(origin("k"), message(1)))
        XCTAssertEqual(try queue.read("k"), [message(0)])
    }

    func testATornEndIsCutOffBeforeTheNextFrame() throws {
        _ = try queue.begin(origin("k"), message(0))
        let handle = try XCTUnwrap(FileHandle(forWritingAtPath: queue.path("k")))
        handle.seekToEndOfFile()
        handle.write(Data(BatchFormat.frame(.message, message(1)).dropLast(3)))
        try handle.close()
        XCTAssertEqual(try queue.seal("k"), 1)
        XCTAssertEqual(try queue.list().batches.map(\.count), [1])
        XCTAssertEqual(try queue.read("k"), [message(0)])
    }

    func testDamageIsReportedOnceAndTheRestIsSent() throws {
        try queue.create(origin("k"), (0..<3).map(message))
        var bytes = try Array(Data(contentsOf: URL(fileURLWithPath: queue.path("k"))))
        bytes[BatchFormat.fileHead.count + BatchFormat.header(origin("k")).count + BatchFormat.frame(.message, message(0)).count + 12] ^= 1
        try Data(bytes).write(to: URL(fileURLWithPath: queue.path("k")))
        let found = try queue.list()
        XCTAssertEqual(found.damaged.map(\.lost), [2])
        XCTAssertEqual(found.batches.map(\.count), [1])
        XCTAssertEqual(found.batches.map(\.tries.doubts), [1], "a lost try could have been in doubt")
        XCTAssertEqual(try queue.list().damaged.count, 0)
        XCTAssertEqual(try queue.read("k"), [message(0)])
    }

    func testADivisionThatACrashCutIsFinishedByTheReader() throws {
        try queue.create(origin("k"), (0..<3).map(message))
        let handle = try XCTUnwrap(FileHandle(forWritingAtPath: queue.path("k")))
        handle.seekToEndOfFile()
        handle.write(Data(BatchFormat.divided(at: 2)))
        try handle.close()
        // The first half was written and tried before the crash.
        try queue.create(origin("k.0"), [message(0), message(1)])
        XCTAssertEqual(try queue.update("k.0", Tries(tries: 1, lastTry: 5), doubts: 1), 1)
        let keys = Set(try queue.list().batches.map(\.key))
        XCTAssertEqual(keys, ["k.0", "k.2"])
        XCTAssertEqual(try queue.read("k.2"), [message(2)])
        XCTAssertEqual(try queue.list().batches.first { $0.key == "k.0" }?.tries.doubts, 1)
        XCTAssertNil(try queue.read("k"))
    }

    func testABatchInDoubtIsNotDivided() throws {
        try queue.create(origin("k"), [message(0), message(1)])
        _ = try queue.update("k", Tries(), doubts: 1)
        XCTAssertFalse(try queue.divide("k", at: 1))
        XCTAssertEqual(try queue.read("k")?.count, 2)
        _ = try queue.update("k", Tries(), doubts: -1)
        XCTAssertTrue(try queue.divide("k", at: 1))
        XCTAssertEqual(Set(try queue.list().batches.map(\.key)), ["k.0", "k.1"])
    }

    func testMessagesAfterTheSealBecomeABatchOfTheirOwn() throws {
        let golden = Contract.folder.appendingPathComponent("store/later-message.batch")
        try FileManager.default.copyItem(at: golden, to: URL(fileURLWithPath: queue.path("key-1")))
        XCTAssertEqual(try queue.list().batches.map(\.count), [2])
        try queue.remove("key-1", count: 2)
        let left = try queue.list().batches
        XCTAssertEqual(left.map(\.key), ["key-1.2"])
        XCTAssertEqual(left.map(\.count), [1])
    }

    func testStrangeFilesStayUntouched() throws {
        for name in ["foreign", "newer-version"] {
            let golden = Contract.folder.appendingPathComponent("store/\(name).batch")
            try FileManager.default.copyItem(at: golden, to: URL(fileURLWithPath: queue.path(name)))
        }
        XCTAssertEqual(try queue.list().strange, ["foreign", "newer-version"])
        XCTAssertNil(try queue.seal("newer-version"))
        XCTAssertTrue(FileManager.default.contentsEqual(
            atPath: queue.path("newer-version"), andPath: Contract.folder.appendingPathComponent("store/newer-version.batch").path))
    }

    func testAnUnreadableFileIsNotAnEmptyOne() throws {
        // A link to itself cannot be opened, like a file of a locked device.
        try FileManager.default.createSymbolicLink(atPath: queue.path("k"), withDestinationPath: queue.path("k"))
        let found = try queue.list()
        XCTAssertTrue(found.isPartial)
        XCTAssertEqual(found.batches.count, 0)
        XCTAssertNil(try queue.begin(origin("k"), message(0)))
        XCTAssertThrowsError(try queue.seal("k"))
        XCTAssertEqual(try FileManager.default.destinationOfSymbolicLink(atPath: queue.path("k")), queue.path("k"))
    }

    func testAWriteThatFailsLeavesNoPart() throws {
        let isFull = Guarded(false)
        let full = QueueFolder(path: path) { if isFull.with({ $0 }) { throw NoRoom() } }
        let writer = try XCTUnwrap(try full.begin(origin("k"), message(0)))
        isFull.with { $0 = true }
        XCTAssertThrowsError(try writer.append(message(1)))
        XCTAssertThrowsError(try full.begin(origin("l"), message(1)))
        isFull.with { $0 = false }
        XCTAssertTrue(try writer.append(message(1)))
        XCTAssertEqual(try full.read("k"), [message(0), message(1)])
    }

    /// App and extension: one appends, the other adopts, sends and removes whatever it finds.
    func testAnOwnerAndAnAdopterLoseAndDoubleNothing() throws {
        let total = 3_000
        let taken = Guarded<[String]>([])
        let isDone = Guarded(false)
        let queue = queue
        let adopter = Thread {
            while true {
                let wasDone = isDone.with { $0 }
                for batch in (try? queue.list().batches) ?? [] {
                    guard let count = try? queue.seal(batch.key), let texts = try? queue.read(batch.key) else { continue }
                    XCTAssertEqual(count, texts.count)
                    taken.with { $0 += texts }
                    try? queue.remove(batch.key, count: count)
                }
                if wasDone { break }
            }
            isDone.with { $0 = false }
        }
        adopter.start()
        var key = "k0"
        var count = 0
        var writer: BatchWriter?
        for n in 0..<total {
            if let open = writer, try unlessBusy({ try open.append(message(n)) }) ?? false {
                count += 1
                continue
            }
            key = writer == nil ? "k0" : "\(key).\(count)"
            if n % 50 == 0 { key = "k\(n)" }
            writer = try unlessBusy { try queue.begin(origin(key), message(n)) } ?? nil
            while writer == nil {
                key += "b"
                writer = try unlessBusy { try queue.begin(origin(key), message(n)) } ?? nil
            }
            count = 1
        }
        isDone.with { $0 = true }
        while isDone.with({ $0 }) { Thread.sleep(forTimeInterval: 0.01) }
        XCTAssertEqual(taken.with { $0.count }, total)
        XCTAssertEqual(Set(taken.with { $0 }).count, total)
    }

    func testNoCallerWaitsForALockThatAnotherProcessHolds() throws {
        let folder = URL(fileURLWithPath: path).appendingPathComponent("device")
        let client = Sluice(Configuration(apiKey: "k", sourceIdentifier: "Source000001", apiHost: "http://127.0.0.1:1") {
            $0.folder = folder
            $0.flushInterval = 3_600
        })
        XCTAssertTrue(client.identify("u-1"))
        XCTAssertTrue(client.track("a"))
        let locks = try (FileManager.default.subpathsOfDirectory(atPath: folder.path)).map { folder.appendingPathComponent($0).path }
            .filter { $0.hasSuffix(".batch") || $0.hasSuffix(".lock") }
        XCTAssertEqual(locks.count, 3)
        let held = try locks.map { try OpenFile($0, O_RDWR) }
        var taken = 0.0
        try holding(held[...]) {
            let start = Date()
            XCTAssertTrue(client.track("b"))
            XCTAssertTrue(client.identify("u-2"))
            XCTAssertTrue(client.track("c"))
            client.reset()
            taken = Date().timeIntervalSince(start)
            XCTAssertNil(client.userId)
        }
        XCTAssertLessThan(taken, 1)
        XCTAssertTrue(client.track("d"))
        let queue = QueueFolder(path: folder.appendingPathComponent("queue").path, room: {})
        let texts = try queue.list().batches.flatMap { try queue.read($0.key) ?? [] }.compactMap { JSON(parsing: $0) }
        XCTAssertEqual(Set(texts.compactMap { $0["event"]?.text }), ["a", "b", "c", "d"], "all are in files")
        XCTAssertEqual(texts.first { $0["event"]?.text == "c" }?["userId"]?.text, "u-2")
        XCTAssertNil(texts.first { $0["event"]?.text == "d" }?["userId"])
        // The values were written once the lock was free.
        let values = try String(contentsOf: folder.appendingPathComponent("values/Source000001.json"), encoding: .utf8)
        XCTAssertEqual(JSON(parsing: values)?["userId"]?.text, "")
    }

    /// Holds locks like another process: a lock belongs to an open file, not to a process.
    private func holding(_ files: ArraySlice<OpenFile>, _ work: () throws -> Void) throws {
        guard let file = files.first else { return try work() }
        try file.locked(within: 0) { try holding(files.dropFirst(), work) }
    }

    private func unlessBusy<Result>(_ work: () throws -> Result) throws -> Result? {
        do { return try work() } catch let failure as FileFailure where failure.isBusy { return nil }
    }

    func testClearRemovesTheBatchesOfASourceAndCountsTheirMessages() throws {
        try queue.create(origin("k"), [message(0)])
        let writer = try queue.begin(origin("l"), message(0))
        XCTAssertEqual(try writer?.append(message(1)), true)
        let other = Origin(key: "o", host: "https://sluice.test", sourceIdentifier: "Source000002", kind: .track, created: 1)
        try queue.create(other, [message(0), message(1)])
        XCTAssertEqual(try queue.clear(origin("k").sourceIdentifier), 3)
        XCTAssertEqual(try queue.list().batches.map(\.key), ["o"])
        XCTAssertEqual(try queue.read("o")?.count, 2)
        XCTAssertEqual(try writer?.append(message(2)), false)
    }

    func testABatchMovesToAnotherHostUnlessATryIsInDoubt() throws {
        try queue.create(origin("k"), [message(0), message(1)])
        let target = origin("k").derived(0, host: "https://new.test")
        XCTAssertEqual(try queue.update("k", Tries(tries: 1, firstTry: 7), doubts: 1), 1)
        XCTAssertFalse(try queue.move("k", to: target))
        XCTAssertEqual(try queue.update("k", Tries(tries: 1, firstTry: 7), doubts: -1), 0)
        XCTAssertTrue(try queue.move("k", to: target))
        let batch = try XCTUnwrap(queue.list().batches.first)
        XCTAssertEqual(batch.origin, target)
        XCTAssertEqual(batch.tries, Tries(firstTry: 7))
        XCTAssertEqual(try queue.read("k.0"), [message(0), message(1)])
        XCTAssertFalse(try queue.move("k", to: target))
    }
}
