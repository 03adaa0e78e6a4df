import Foundation

struct SendingState {
    /// Messages that the service has confirmed since the client started.
    var sent = 0
    /// Tries without a conclusive answer in a row, and answers in a row that made the client rest.
    var failures = 0
    var rests = 0
    /// Tries without an answer of the service in a row.
    var silences = 0
    var service = ServiceClock()
    /// End of the pause by the monotonic clock.
    var pausedUntil = 0.0
    /// True if the pause is our own guess, which a hint can shorten.
    var isGuess = false
    /// Ends of the waits for the daily quotas of the source, by the monotonic clock.
    var quotas: [Quota: Double] = [:]
    var flights = 0
    /// Functions that cancel the timeouts of the requests under way.
    var timeouts: [Int: @Sendable () -> Void] = [:]
}

/// Sends batches to the service and acts on the answers.
extension Outbox {
    private static let timeout = 30_000.0
    /// Tries in a row without an answer of the service that are reported as an outage.
    private static let silencesOfOutage = 3

    /// Milliseconds until the next try.
    var pause: Double { max(0, sending.pausedUntil - ports.clock.monotonic()) }

    /// False if consent was denied since; then nothing more is sent or written.
    private func isKnown(_ entry: Entry) -> Bool {
        entries[entry.batch.key] === entry && entry.epoch == recorder.epoch
    }

    /// Begins to send a batch. Returns false if it is gone or was postponed.
    func begin(_ entry: Entry) -> Bool {
        let texts: [String]
        do {
            guard let prepared = try prepare(entry) else { return false }
            texts = prepared
        } catch {
            reporter.storageFailed(error)
            postpone(entry, retryAfter: 0)
            return false
        }
        sending.flights += 1
        let flight = sending.flights
        entry.flight = flight
        let key = entry.batch.key
        let ended: Reply = { [inbox] reply in
            inbox.post { $0.answered(key, flight, reply) }
        }
        let abort = ports.transport.send(request(entry.batch, texts), ended)
        sending.timeouts[flight] = ports.clock.later(Outbox.timeout) {
            abort()
            ended(.failure(NoAnswer("nothing in \(Int(Outbox.timeout / 1_000)) s")))
        }
        return true
    }

    private func request(_ batch: Batch, _ texts: [String]) -> HTTPRequest {
        HTTPRequest(
            method: "POST",
            url: url(batch.origin),
            headers: [
                "Authorization": "Bearer \(settings.apiKey)",
                "Content-Type": "application/json",
                "Idempotency-Key": batch.key,
                // A bad message is refused without the others. The device's time says how wrong its clock is.
                "Prefer": "handling=lenient, sent-at=\(Int64(ports.clock.now()))",
            ],
            body: Batch.body(texts))
    }

    /// Below an operator's own address endpoints have short names, which content blockers do not recognize.
    private func url(_ origin: Origin) -> String {
        let source = PercentEncoding.encode(origin.sourceIdentifier)
        guard !origin.host.hasSuffix("/") else { return "\(origin.host)\(source)/\(origin.kind.path.prefix(1))b" }
        return "\(origin.host)/api/tracker/sdk/\(source)/\(origin.kind.path)Batch"
    }

    private func texts(of entry: Entry) throws -> [String]? {
        if let texts = entry.texts { return texts }
        return try queue.read(entry.batch.key)
    }

    /// Records a try in the store before it is made: a crash leaves it in doubt. Nil if the batch is gone.
    private func prepare(_ entry: Entry) throws -> [String]? {
        let texts = try texts(of: entry)
        entry.batch.tries.tries += 1
        entry.batch.tries.lastTry = ports.clock.now()
        // After a crash, an earlier value would be compared with the time of this try.
        entry.batch.tries.nextTry = 0
        if entry.triedAt == nil { entry.triedAt = ports.clock.monotonic() }
        date(entry)
        let isThere = try save(entry, doubts: 1)
        if let texts, !texts.isEmpty, isThere, isKnown(entry) { return texts }
        forget(entry)
        return nil
    }

    /// Dates the first try of a batch, once the service's time is known.
    private func date(_ entry: Entry) {
        guard entry.batch.tries.firstTry == 0 else { return }
        entry.batch.tries.firstTry = sending.service.at(entry.triedAt ?? ports.clock.monotonic())
    }

    /// Saves the tries. Returns false if this client must no longer send the batch.
    private func save(_ entry: Entry, doubts: Int) throws -> Bool {
        entry.batch.tries.doubts += doubts
        guard entry.isStored else { return true }
        let isThere: Bool
        do {
            let sum = try queue.update(entry.batch.key, entry.batch.tries, doubts: doubts)
            if let sum { entry.batch.tries.doubts = sum }
            isThere = sum != nil
        } catch {
            // A try is made even if it cannot be recorded.
            reporter.storageFailed(error)
            isThere = try queue.read(entry.batch.key) != nil
        }
        return isThere
    }

    private func answered(_ key: String, _ flight: Int, _ reply: Result<HTTPAnswer, any Error>) {
        guard let cancel = sending.timeouts.removeValue(forKey: flight) else { return }
        cancel()
        if let entry = entries[key], entry.flight == flight {
            entry.flight = nil
            if isKnown(entry) { settleOrPostpone(entry, reply) }
            expire(entry)
        }
        isDraining = false
        drain()
    }

    private func settleOrPostpone(_ entry: Entry, _ reply: Result<HTTPAnswer, any Error>) {
        do {
            try settle(entry, reply)
        } catch {
            reporter.storageFailed(error)
            postpone(entry, retryAfter: 0)
        }
    }

    /// False for a batch that an earlier configuration made for another host, where a try is in doubt.
    func isHere(_ entry: Entry) -> Bool { entry.batch.origin.host == settings.host }

    private func settle(_ entry: Entry, _ reply: Result<HTTPAnswer, any Error>) throws {
        let answer = try? reply.get()
        let verdict = Verdict(answer)
        let requestId = answer?.headers["x-request-id"]
        reporter.debug?("batch \(entry.batch.key): \(answer.map { String($0.status) } ?? "no answer, \(NoAnswer.reason(reply) ?? "")")")
        func report(_ code: SluiceError.Code, _ list: [Refusal], count: Int?, outcome: String = "") {
            guard !list.isEmpty else { return }
            reporter.report(SluiceError(code, outcome + Verdict.inWords(list), count: count, requestId: requestId))
        }
        if verdict.isOfService {
            sending.silences = 0
            sending.service.hear(answer, at: ports.clock.monotonic())
            date(entry)
        } else if isHere(entry) {
            outage(reply)
        }
        let retryAfter = RetryPolicy.retryAfter(answer, now: ports.clock.now(), isOfService: verdict.isOfService)
        switch verdict.meaning {
        case .unknown: return postpone(entry, retryAfter: retryAfter)
        case .stored:
            let lost = min(Verdict.messagesNamed(verdict.reasons), entry.batch.count)
            if isHere(entry) {
                sending.failures = 0
                sending.rests = 0
            }
            sending.sent += entry.batch.count - lost
            remove(entry)
            report(.refused, verdict.reasons, count: lost)
            return report(.refused, verdict.dropped, count: 0, outcome: "stored without ")
        default: _ = try save(entry, doubts: -1)
        }
        switch verdict.meaning {
        case .later where verdict.isForQuota && retryAfter > 0: awaitQuota(entry, retryAfter: retryAfter)
        case .later: postpone(entry, retryAfter: retryAfter)
        case .unauthorized where !isHere(entry):
            delay(entry, RetryPolicy.rest(times: entry.batch.tries.tries, fraction: ports.random.fraction()))
        case .unauthorized:
            sending.isGuess = false
            sending.rests += 1
            let rest = RetryPolicy.rest(times: sending.rests, fraction: ports.random.fraction())
            sending.pausedUntil = max(sending.pausedUntil, ports.clock.monotonic() + rest)
            if sending.rests == 1 { report(.unauthorized, verdict.reasons, count: nil) }
        case .tooLarge where entry.batch.tries.doubts > 0: setAside(entry)
        case .tooLarge where entry.batch.count > 1: try split(entry)
        default:
            remove(entry)
            report(.refused, verdict.reasons, count: entry.batch.count)
        }
    }

    /// Reports an outage once, at the try that makes it one.
    private func outage(_ reply: Result<HTTPAnswer, any Error>) {
        sending.silences += 1
        guard sending.silences == Outbox.silencesOfOutage else { return }
        var cause: (any Error)?
        var finding = "no answer of the service"
        switch reply {
        case .success(let answer): finding = "an answer \(answer.status) that is not the service's"
        case .failure(let error): cause = error
        }
        let why = NoAnswer.reason(reply).map { ": \($0)" } ?? ""
        reporter.report(SluiceError(.unreachable, "\(settings.host): \(finding)\(why)", cause: cause))
        reporter.debug?(
            "nothing is lost, tries continue. Check apiHost, its path and eventsPath, the network, proxies and VPNs, and App Transport Security")
    }

    /// Gives up a batch whose try failed past `maxAge`, by the service's clock or the monotonic one.
    private func expire(_ entry: Entry) {
        guard isKnown(entry) else { return }
        let now = ports.clock.monotonic()
        let first = entry.batch.tries.firstTry
        let serviceAge = first > 0 ? sending.service.at(now) - first : 0
        let age = max(serviceAge, entry.triedAt.map { now - $0 } ?? 0)
        if age > settings.maxAge { giveUp(entry, .expired, "too old to be sent") }
    }

    private func postpone(_ entry: Entry, retryAfter: Double) {
        guard isHere(entry) else {
            // Another host that is down must not delay what goes to the present one.
            let failures = entry.batch.tries.tries
            return delay(entry, RetryPolicy.wait(failures: failures, retryAfter: retryAfter, fraction: ports.random.fraction()))
        }
        sending.isGuess = retryAfter == 0
        sending.failures += 1
        let failures = max(sending.failures, entry.batch.tries.tries)
        delay(entry, RetryPolicy.wait(failures: failures, retryAfter: retryAfter, fraction: ports.random.fraction()))
        sending.pausedUntil = max(sending.pausedUntil, entry.due)
    }

    /// Lets what the same daily quota counts wait, and nothing else: the service works, and its refusal is not a failed try.
    private func awaitQuota(_ entry: Entry, retryAfter: Double) {
        entry.batch.tries.tries = 0
        delay(entry, RetryPolicy.wait(failures: 1, retryAfter: retryAfter, fraction: ports.random.fraction()))
        if isHere(entry) { adoptPause(entry) }
    }

    /// Earliest time of the next try with a batch, by the monotonic clock.
    func due(_ entry: Entry) -> Double { max(entry.due, sending.quotas[entry.batch.origin.kind.quota] ?? 0) }

    /// True while a daily quota that counts such batches is used up.
    func isUsedUp(_ kind: BatchKind) -> Bool { (sending.quotas[kind.quota] ?? 0) > ports.clock.monotonic() }

    /// Pauses as a stored try says, which may have had a Retry-After. A wait without a try is one for a quota.
    func adoptPause(_ entry: Entry) {
        guard entry.batch.tries.tries > 0 else {
            sending.quotas[entry.batch.origin.kind.quota] = due(entry)
            return
        }
        if entry.due > max(sending.pausedUntil, ports.clock.monotonic()) { sending.isGuess = false }
        sending.pausedUntil = max(sending.pausedUntil, entry.due)
    }

    private func delay(_ entry: Entry, _ milliseconds: Double) {
        entry.due = ports.clock.monotonic() + milliseconds
        // Both times are of the same clock setting: the user may have set the clock since the try began.
        entry.batch.tries.lastTry = ports.clock.now()
        entry.batch.tries.nextTry = entry.batch.tries.lastTry + milliseconds
        do { _ = try save(entry, doubts: 0) } catch { reporter.storageFailed(error) }
    }

    /// Keeps a batch unchanged, because the service may have stored its messages with this key and these positions.
    private func setAside(_ entry: Entry) {
        entry.batch.tries.tooLarge += 1
        delay(entry, RetryPolicy.rest(times: entry.batch.tries.tooLarge, fraction: ports.random.fraction()))
    }

    private func split(_ entry: Entry) throws {
        let key = entry.batch.key
        guard let texts = try texts(of: entry) else { return forget(entry) }
        let half = (texts.count + 1) / 2
        if entry.isStored, try !queue.divide(key, at: half) { return setAside(entry) }
        forget(entry)
        for (place, part) in [(0, Array(texts[..<half])), (half, Array(texts[half...]))] {
            let batch = Batch(entry.batch.origin.derived(place), part)
            enter(Entry(ClosedBatch(batch: batch, texts: part, isStored: entry.isStored, epoch: entry.epoch)))
        }
    }

    /// Shortens a guessed pause to the wait after one failure. Retry-After stays.
    func hurry() {
        guard sending.isGuess, pause > 0 else { return }
        let soon = RetryPolicy.wait(failures: 1, retryAfter: 0, fraction: ports.random.fraction())
        sending.pausedUntil = min(sending.pausedUntil, ports.clock.monotonic() + soon)
        for entry in entries.values where entry.batch.tries.tooLarge == 0 { entry.due = min(entry.due, sending.pausedUntil) }
    }
}
