package tech.sluice.vectors

import java.io.File
import tech.sluice.Client
import tech.sluice.Consent
import tech.sluice.ErrorHandler
import tech.sluice.Message
import tech.sluice.Plugin
import tech.sluice.SluiceError
import tech.sluice.core.Cancellation
import tech.sluice.core.HttpAnswer
import tech.sluice.core.HttpRequest
import tech.sluice.core.IdPurpose
import tech.sluice.core.Options
import tech.sluice.core.Ports
import tech.sluice.core.Randomness
import tech.sluice.core.SdkName
import tech.sluice.core.Transport
import tech.sluice.core.formatJson
import tech.sluice.push.InteractionReporter

const val HOST = "https://sluice.test"
const val API_KEY = "api-key-of-the-test"
const val SOURCE_IDENTIFIER = "Source000001"

/** Environment of the clients of one vector: device, network and service. */
class VectorWorld(vector: Map<*, *>, folder: File) {
    class Started(val client: Client, val interactions: InteractionReporter, val end: () -> Unit)

    val device = Device(folder)
    val time = FakeTime(millisOf(vector["clock"] as String? ?: "2026-01-31T12:00:00.000Z"))
    val server = ModelServer()
    val requests = ArrayList<HttpRequest>()
    val reports = ArrayList<SluiceError>()
    val log = ArrayList<String>()
    val answers = ArrayDeque<Any?>()
    private val clients = HashMap<String, Started>()
    private val fractions = ArrayDeque((vector["random"] as List<*>?).orEmpty().map { (it as Number).toDouble() })
    private val ids = (vector["uuids"] as Map<*, *>?).orEmpty().mapValues { (_, ids) -> ArrayDeque(ids as List<*>) }
    private val counts = HashMap<String, Int>()

    private val random =
        object : Randomness {
            override fun fraction(): Double = fractions.removeFirstOrNull() ?: 0.5

            override fun uuid(purpose: IdPurpose): String =
                ids[purpose.text]?.removeFirstOrNull() as String?
                    ?: "${purpose.text}-${counts.merge(purpose.text, 1, Int::plus)}"
        }

    fun of(name: String): Started = checkNotNull(clients[name]) { "no client $name" }

    /** Starts a client, in place of an earlier one of this name, which ends like a crash. */
    fun start(name: String, config: Map<*, *>) {
        clients[name]?.end?.invoke()
        var isAlive = true
        val worker = time.worker { isAlive }
        val transport = Transport { request, done -> exchange(request) { if (isAlive) done(it, null) } }
        val context = (config["context"] as Map<*, *>?).orEmpty().entries.associate { (key, value) -> key as String to value }
        val ports =
            Ports(
                SdkName("sluice-test", "1.2.3"),
                worker,
                random,
                device.values(),
                device.queue(),
                transport,
                context = { context },
                log = { log += it },
            )
        val client = Client(optionsOf(config), ports)
        clients[name] = Started(client, InteractionReporter(client, client.apiHost, transport, worker, random)) { isAlive = false }
        time.settle()
    }

    private fun optionsOf(config: Map<*, *>): Options {
        val credentials = config["credentials"] as Map<*, *>? ?: mapOf("apiKey" to API_KEY, "sourceIdentifier" to SOURCE_IDENTIFIER)
        val number = { name: String -> (config[name] as Number?)?.toLong() }
        return Options(
            apiKey = credentials["apiKey"] as String?,
            sourceIdentifier = credentials["sourceIdentifier"] as String?,
            apiHost = if ("host" in config) config["host"] as String? else HOST,
            eventsPath = config["eventsPath"] as String?,
            consent = Consent.valueOf((config["consent"] as String? ?: "granted").uppercase()),
            flushAt = number("flushAt")?.toInt(),
            flushInterval = number("flushInterval") ?: 2_000,
            maxAge = number("maxAge"),
            maxMessages = number("maxMessages")?.toInt(),
            maxBytes = number("maxBytes"),
            errorHandler = ErrorHandler { reports += it },
            isDebugging = true,
            plugins = (config["plugins"] as List<*>?).orEmpty().map { pluginOf(it as String) },
        )
    }

    private fun exchange(request: HttpRequest, done: (HttpAnswer?) -> Unit): Cancellation {
        requests += request
        val answer = answers.removeFirstOrNull() ?: "queued"
        if (answer == "queued") {
            answered(request, mapOf("status" to 200L), done)
        } else if (answer is Map<*, *>) {
            answered(request, answer, done)
        } else if (answer != "hang") {
            if (answer == "cut-after" && request.method == "POST") server.take(request)
            done(null)
        }
        return Cancellation { }
    }

    private fun answered(request: HttpRequest, answer: Map<*, *>, done: (HttpAnswer?) -> Unit) {
        val code = (answer["status"] as Long).toInt()
        if (answer["stores"] as Boolean? ?: (code == 200) && request.method == "POST") server.take(request)
        val standard = if (code == 200) mapOf("status" to "QUEUED") else listOf(mapOf("field" to "", "message" to "error.of.the.vector"))
        val given = if ("body" in answer) answer["body"] else standard
        val headers = (answer["headers"] as Map<*, *>?).orEmpty()
        // A redirect is not an answer, as in the transport.
        if (code in 300..399) return done(null)
        done(
            object : HttpAnswer {
                override val status = code
                override val body = given as? String ?: formatJson(given)

                override fun header(name: String): String? = headers[name] as String?
            },
        )
    }
}

/** Makes the plugins of vectors: `drop:event`, `rename:from:to`, `context:name`, `throw:event`. */
private fun pluginOf(text: String): Plugin {
    val (what, name, other) = text.split(':') + listOf("", "")
    return Plugin { message: Message ->
        when {
            what == "context" -> message.copy(context = message.context + (name to true))
            message.event != name -> message
            what == "throw" -> error("the plugin fails")
            what == "drop" -> null
            else -> message.copy(event = other)
        }
    }
}

fun millisOf(time: String): Long = java.time.OffsetDateTime.parse(time).toInstant().toEpochMilli()
