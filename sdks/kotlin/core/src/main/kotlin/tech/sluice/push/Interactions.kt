package tech.sluice.push

import tech.sluice.Client
import tech.sluice.InternalSluiceApi
import tech.sluice.core.HttpAnswer
import tech.sluice.core.HttpRequest
import tech.sluice.core.Meaning
import tech.sluice.core.Randomness
import tech.sluice.core.Transport
import tech.sluice.core.Worker
import tech.sluice.core.attempt
import tech.sluice.core.percentEncoded
import tech.sluice.core.readVerdict
import tech.sluice.core.waitAfter

private const val MAX_TARGET = 2_048
private const val MAX_TRIES = 3

/** Kinds of interactions, each with the last part of its callback's path (docs/push.md#callbacks). */
@InternalSluiceApi
public enum class InteractionKind(public val text: String, internal val path: String) {
    DELIVERED("delivered", "delivered"),
    CLICKED("clicked", "click"),
    CLOSED("closed", "close"),
    FAILED("failed", "failed"),
    OPENED("opened", "open"),
}

/**
 * An interaction with a notification.
 *
 * @property button position of the tapped button, from 1; 0 for the body
 * @property url target of a tap
 * @property reason why it was not displayed
 */
@InternalSluiceApi
public class Interaction(
    public val kind: InteractionKind,
    public val id: String,
    public val button: Int = 0,
    public val url: String? = null,
    public val reason: String? = null,
) {
    internal val event: String get() = "bb_notification_${kind.text}"

    internal val properties: Map<String, Any?>
        get() {
            val properties = linkedMapOf<String, Any?>("id" to id)
            if (kind == InteractionKind.CLICKED && button > 0) properties["actionId"] = button.toString()
            if (kind == InteractionKind.CLICKED && url != null) properties["url"] = url
            if (kind == InteractionKind.FAILED && reason != null) properties["reason"] = reason
            return properties
        }

    internal val path: String
        get() {
            val target = url?.takeIf { kind == InteractionKind.CLICKED && it.codePointCount(0, it.length) <= MAX_TARGET }
            val query = target?.let { "&url=${percentEncoded(it)}" }.orEmpty()
            return "/api/tracker/general/${kind.path}?token=${percentEncoded(id)}$query"
        }
}

/** Reports interactions: the event is queued first, then the service is called. Either alone is enough. */
@InternalSluiceApi
public class InteractionReporter(
    private val client: Client,
    private val host: String,
    private val transport: Transport,
    private val worker: Worker,
    private val random: Randomness,
) {
    /** Calls [done] when the callback is answered, has been tried three times, or is not made. */
    public fun report(interaction: Interaction, done: () -> Unit = {}) {
        val isTaken = client.track(interaction.event, interaction.properties)
        if (!isTaken || !client.isSending) return done()
        // The worker writes the event before it makes this call.
        worker.execute { callBack(host + interaction.path, 1, done) }
    }

    private fun callBack(url: String, tries: Int, done: () -> Unit) {
        val answered = { answer: HttpAnswer?, _: Throwable? ->
            worker.execute {
                val meaning = readVerdict(answer).meaning
                val isOver = meaning != Meaning.LATER && meaning != Meaning.UNKNOWN
                if (isOver || tries == MAX_TRIES) return@execute done()
                val wait = waitAfter(tries, 0.0, random.fraction()).toLong()
                // A denied or closed client makes no more requests about its person.
                worker.later(wait) { if (client.isSending) callBack(url, tries + 1, done) else done() }
            }
        }
        // A request that cannot be made has no answer.
        attempt { transport.send(HttpRequest("GET", url, emptyMap(), null), answered) } ?: answered(null, null)
    }
}
