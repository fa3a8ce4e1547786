#import "Badge.h"
#import <Foundation/Foundation.h>

NS_ASSUME_NONNULL_BEGIN

/// How a badge is drawn.
typedef NS_ENUM(NSInteger, BadgeStyle) {
    BadgeStylePlain,
    BadgeStyleRound, // with a border
};

typedef void (^BadgeBlock)(BOOL done);

/// What a view draws.
@protocol Drawable <NSObject>
- (void)drawIn:(CGRect)rect;
@optional
@property (nonatomic) BOOL animated;
@end

@interface Badge ()
@property (nonatomic, copy) NSString *text;
@end

static int rounded(double rate) {
    return (int)(rate + 0.5);
}

@implementation Badge

#pragma mark - Life cycle

+ (instancetype)badge {
    return [[self alloc] init];
}

/**
 Shows both rates.
 */
- (void)setRates:(double)download
          upload:(double)upload {
    dispatch_async(dispatch_get_main_queue(), ^{
        self.text = [NSString stringWithFormat:@"%d %d", rounded(download), rounded(upload)];
    });
}

@end

@interface Badge (Colors) <Drawable>
- (nullable UIColor *)colorForStyle:(BadgeStyle)style API_AVAILABLE(ios(13.0));
@end

@implementation Badge (Colors)
- (UIColor *)colorForStyle:(BadgeStyle)style { return nil; }
- (void)drawIn:(CGRect)rect {}
@end

NS_ASSUME_NONNULL_END
