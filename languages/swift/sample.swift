import Foundation

/// A cart.
@available(iOS 13, *)
public final class Cart<T: Item>: Base where T: Hashable {
    private var items: [T] = []
    var owner: String = "" {
        didSet { print(owner) }
    }

    /// How many.
    public var count: Int {
        items.count
    }

    public init?(owner: String) {
        super.init()
    }

    deinit { print("gone") }

    // Adds an item.
    @discardableResult
    func add(_ item: T, file: String = #fileID) async throws -> Bool {
        func log() {}
        return true
    }

    subscript(index: Int) -> T {
        get { items[index] }
    }

    static func == (a: Cart, b: Cart) -> Bool { true }

    enum Size: String {
        case small, large
        var label: String { rawValue }
    }
}

protocol Shape: AnyObject {
    var name: String { get }
    func area() -> Double
}

extension Cart: Shape where T == Int {
    func area() -> Double { 0 }
}

typealias Cents = Int

func price(of cents: Cents) -> Int { cents }

let limit = 3
