package com.example.shop

import tech.sluice.Event

/** An event with a type of its own: `sluice.track(OrderCompleted(49.9, 3))`. */
class OrderCompleted(total: Double, items: Int) : Event {
    override val name: String = "order_completed"
    override val properties: Map<String, Any?> = mapOf("total" to total, "items" to items)
}
