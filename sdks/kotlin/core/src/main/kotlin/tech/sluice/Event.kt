package tech.sluice

/**
 * An event with a type of its own, for [Client.track]:
 *
 * ```
 * class OrderCompleted(total: Double) : Event {
 *     override val name = "order_completed"
 *     override val properties = mapOf("total" to total)
 * }
 * ```
 */
public interface Event {
    /** Name of the action: 1 to 64 of `a-z A-Z 0-9 _ - .` */
    public val name: String

    /** Free-form properties; null for none. */
    public val properties: Map<String, Any?>?
}
