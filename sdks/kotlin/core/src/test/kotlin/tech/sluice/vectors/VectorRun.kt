package tech.sluice.vectors

import java.io.File
import java.util.Date
import org.junit.Assert.assertEquals
import tech.sluice.CallOptions
import tech.sluice.Consent
import tech.sluice.FlushResult
import tech.sluice.SluiceError
import tech.sluice.core.Batch
import tech.sluice.core.HttpRequest
import tech.sluice.core.LifecycleEvent
import tech.sluice.core.formatJson
import tech.sluice.push.Interaction
import tech.sluice.push.InteractionKind
import tech.sluice.push.PushPayload
import tech.sluice.push.payloadOf

/** Runs a vector (sdks/contract/README.md) with the files of a device. Throws at the first deviation. */
class VectorRun(given: Map<*, *>, folder: File) {
    private val vector = expand(given, ::filled) as Map<*, *>
    private val config = (vector["config"] as Map<*, *>?).orEmpty()
    private val world = VectorWorld(vector, folder)
    private var requestsSeen = 0
    private var reportsSeen = 0
    private var logSeen = 0
    private var result: FlushResult? = null
    private var payload: PushPayload? = null

    fun run() {
        world.start("a", config)
        (vector["steps"] as List<*>).forEachIndexed { at, step ->
            try {
                step(step as Map<*, *>)
            } catch (error: Throwable) {
                throw AssertionError("step $at ${formatJson(step).take(300)}: ${error.message}", error)
            }
        }
        assertEquals("requests that were not expected", emptyList<String>(), world.requests.drop(requestsSeen).map(::textOf))
        assertEquals("reports that were not expected", emptyList<Any>(), world.reports.drop(reportsSeen).map(::plain))
    }

    private fun step(step: Map<*, *>) {
        val on = step["on"] as String? ?: "a"
        (step["call"] as String?)?.let { name -> calls(step).forEach { call(on, name, it) } }
        step["advance"]?.let { world.time.advance(durationOf(it)) }
        (step["clock"] as String?)?.let { world.time.set(millisOf(it)) }
        world.answers.addAll((step["server"] as List<*>?).orEmpty())
        (step["store"] as String?)?.let { store(on, it) }
        (step["start"] as Map<*, *>?)?.let { world.start(on, config + it) }
        (step["lifecycle"] as String?)?.let { world.of(on).client.handle(LifecycleEvent.valueOf(it.uppercase())) }
        if ("push" in step) payload = payloadOf(dataOf(step["push"]))
        (step["interact"] as Map<*, *>?)?.let { interact(on, it) }
        world.time.settle()
        (step["expect"] as Map<*, *>?)?.let { expect(on, it) }
    }

    /** A step with `times` stands for that many calls, each with its number at the end of the first argument. */
    private fun calls(step: Map<*, *>): List<Map<*, *>> {
        val args = (step["args"] as List<*>?).orEmpty()
        val times = (step["times"] as Number?)?.toInt() ?: return listOf(step)
        return List(times) { at -> step + ("args" to listOf("${args.first()}$at") + args.drop(1)) }
    }

    private fun call(on: String, name: String, step: Map<*, *>) {
        val client = world.of(on).client
        val args = (step["args"] as List<*>?).orEmpty()
        val values = (args.getOrNull(1) as Map<*, *>?)?.let(::membersOf)
        val options = (args.getOrNull(2) as Map<*, *>?)?.let(::optionsOf)
        val returned: Any? =
            when (name) {
                "track" -> client.track(args[0] as String?, values, options)
                "identify" -> client.identify(args[0] as String?, values, options)
                "reset" -> client.reset()
                "consent" -> client.consent(Consent.valueOf((args[0] as String).uppercase()))
                "flush" -> client.flush { result = it }
                else -> client.close().also { world.time.settle() }.let { if (it.isDone) result = it.get() }
            }
        if ("returns" in step) assertEquals("what the call returns", step["returns"], returned)
    }

    private fun optionsOf(given: Map<*, *>): CallOptions =
        CallOptions(
            (given["timestamp"] as String?)?.let { Date(millisOf(it)) },
            (given["context"] as Map<*, *>?)?.let(::membersOf),
        )

    private fun store(on: String, fault: String) {
        val device = world.device
        when (fault) {
            "full", "works" -> device.isFull = fault == "full"
            "lost", "values-lost" -> {
                if (fault == "lost") device.loseQueue()
                device.loseValues()
            }
            "crash" -> {
                world.of(on).end()
                world.start(on, config)
            }
        }
    }

    private fun interact(on: String, given: Map<*, *>) {
        val shown = payload ?: return
        val button = (given["button"] as Long? ?: 0).toInt()
        val url = if (button > 0) shown.buttons.getOrNull(button - 1)?.action else shown.action
        val kind = InteractionKind.valueOf((given["interaction"] as String).uppercase())
        world.of(on).interactions.report(Interaction(kind, shown.id, button, url, given["reason"] as String?))
    }

    private fun expect(on: String, expected: Map<*, *>) {
        (expected["requests"] as List<*>?)?.let(::expectRequests)
        (expected["reports"] as List<*>?)?.let {
            assertSame("reports", it, world.reports.drop(reportsSeen).map(::plain))
            reportsSeen = world.reports.size
        }
        (expected["stored"] as List<*>?)?.let { assertEquals("messages stored", it, world.server.stored) }
        (expected["queue"] as List<*>?)?.let(::expectQueue)
        (expected["values"] as Map<*, *>?)?.forEach { (name, value) ->
            assertEquals("value $name", value, world.device.value(name as String))
        }
        val client = world.of(on).client
        val ids = mapOf("anonymousId" to client.anonymousId, "userId" to client.userId, "deviceId" to client.deviceId)
        (expected["identity"] as Map<*, *>?)?.forEach { (name, value) -> assertEquals("$name", value, ids[name]) }
        (expected["result"] as Map<*, *>?)?.let {
            assertSame("result", it, mapOf("sent" to result?.sent, "left" to result?.left))
        }
        if ("notification" in expected) expectNotification(expected["notification"] as Map<*, *>?)
        (expected["leftOut"] as List<*>?)?.let { paths ->
            val lines = world.log.drop(logSeen).filter { " is left out" in it }
            logSeen = world.log.size
            assertEquals("values left out", paths, lines.map { it.substringBefore(" is left out") })
        }
    }

    private fun expectRequests(expected: List<*>) {
        val requests = world.requests.drop(requestsSeen)
        requestsSeen = world.requests.size
        assertEquals("number of requests: ${requests.map(::textOf)}", expected.size, requests.size)
        requests.forEachIndexed { at, request ->
            val one = expected[at] as Map<*, *>
            for ((name, value) in one) {
                if (name == "gateway") continue
                val member = "request $at, $name"
                if (name == "repeats") {
                    assertEquals(member, textOf(world.requests[(value as Long).toInt()]), textOf(request))
                } else {
                    assertSame(member, if (name == "path") withoutButton(value) else value, memberOf(request, name as String))
                }
            }
        }
    }

    private fun memberOf(request: HttpRequest, name: String): Any? {
        val (host, path) = Regex("^https://([^/]+)(/.*)$").find(request.url)!!.destructured
        return when (name) {
            "method" -> request.method
            "host" -> host
            "path" -> path
            "headers" -> request.headers
            "body" -> request.body?.let { tech.sluice.core.parseJson(it) }
            "key" -> request.headers["Idempotency-Key"].orEmpty()
            "kind" -> if (path.endsWith("/identifyBatch")) "identify" else "track"
            "messages" -> messagesOf(request).map(::nameOf)
            // Only a browser ends requests with their page.
            "keepalive" -> true
            "bytes" -> request.body.orEmpty().toByteArray().size
            else -> error("unknown member $name")
        }
    }

    private fun expectQueue(expected: List<*>) {
        val batches = world.device.batches()
        assertEquals("batches ${batches.map { it.first.key }}", expected.size, batches.size)
        batches.forEachIndexed { at, (batch, names) ->
            val all = membersOf(batch) + ("messages" to names)
            val one = expected[at] as Map<*, *>
            assertSame("batch $at", one, one.keys.associateWith { all[it] })
        }
    }

    private fun expectNotification(expected: Map<*, *>?) {
        val shown = payload
        if (expected == null || shown == null) return assertEquals("notification", expected, shown)
        val wanted = expected["actions"] as List<*>
        // The web shows fewer buttons than Android.
        val actions = shown.buttons.map { given("title" to it.title, "action" to it.action) }.take(wanted.size)
        val all =
            given(
                "id" to shown.id,
                "title" to shown.title,
                "body" to shown.body,
                "image" to shown.image,
                "action" to shown.action,
                "actions" to actions,
            )
        // Only the web reads these.
        assertSame("notification", expected - setOf("icon", "badge", "requireInteraction"), all)
    }
}

private fun given(vararg members: Pair<String, Any?>) = members.filter { it.second != null }.toMap()

/** Only the web names the button in the callback. */
private fun withoutButton(path: Any?): Any? = (path as? String)?.replace(Regex("&button=\\d"), "")

private fun filled(name: String): String =
    when (name) {
        "apiKey" -> API_KEY
        "sourceIdentifier" -> SOURCE_IDENTIFIER
        else -> "token-of-${name.removePrefix("token:")}"
    }

/** The data of a push message as Android delivers it: texts by name. */
private fun dataOf(push: Any?): Map<String, String?>? =
    (push as? Map<*, *>)?.entries?.associate { (name, value) -> name as String to (value as? String ?: formatJson(value)) }

private fun membersOf(given: Map<*, *>): Map<String, Any?> = given.entries.associate { (name, value) -> name as String to value }

private fun membersOf(batch: Batch): Map<String, Any?> =
    mapOf(
        "key" to batch.key,
        "host" to batch.host,
        "sourceIdentifier" to batch.sourceIdentifier,
        "kind" to batch.kind.name.lowercase(),
        "created" to batch.created,
        "count" to batch.count,
        "bytes" to batch.bytes,
        "sealed" to batch.isSealed,
        "tries" to batch.tries,
        "doubts" to batch.doubts,
        "tooLarge" to batch.tooLarge,
        "firstTry" to batch.firstTry,
        "lastTry" to batch.lastTry,
        "nextTry" to batch.nextTry,
    )

private fun plain(error: SluiceError): Map<String, Any?> =
    given("code" to error.code.name.lowercase(), "count" to error.count, "requestId" to error.requestId)

private fun textOf(request: HttpRequest): String = "${request.method} ${request.url} ${request.headers["Idempotency-Key"]} ${request.body}"

private fun durationOf(given: Any): Long {
    if (given is Number) return given.toLong()
    val (amount, unit) = (given as String).split(' ')
    val ms = mapOf("ms" to 1L, "s" to 1_000L, "min" to 60_000L, "h" to 3_600_000L, "d" to 86_400_000L)
    return amount.toLong() * ms.getValue(unit)
}

/** Compares values of JSON: 1.0 is 1, and the order of members does not matter. */
private fun assertSame(what: String, expected: Any?, found: Any?) {
    assertEquals(what, normalized(expected), normalized(found))
}

private fun normalized(value: Any?): Any? =
    when (value) {
        is Number -> value.toDouble()
        is List<*> -> value.map(::normalized)
        is Map<*, *> -> value.mapValues { normalized(it.value) }
        else -> value
    }
