package tech.sluice.vectors

import tech.sluice.core.HttpRequest
import tech.sluice.core.parseJson

/** Stores messages like Sluice: once for each source, key, position and value of the message. */
class ModelServer {
    private val ids = HashSet<List<Any?>>()

    /** Names of the messages in the order in which they were first stored. */
    val stored = ArrayList<String>()

    fun take(request: HttpRequest) {
        messagesOf(request).forEachIndexed { place, message ->
            if (ids.add(listOf(request.url.substringBeforeLast('/'), request.headers["Idempotency-Key"], place, message))) stored += nameOf(message)
        }
    }
}

fun messagesOf(request: HttpRequest): List<Map<*, *>> =
    request.body?.let { ((parseJson(it) as Map<*, *>)["list"] as List<*>).map { item -> item as Map<*, *> } }.orEmpty()

/** Name of a message in vectors: its event, else its userId or anonymousId. */
fun nameOf(message: Map<*, *>): String = (message["event"] ?: message["userId"] ?: message["anonymousId"]).toString()
